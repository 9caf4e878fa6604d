import type { ResizeResult } from '../api/node-size.js';
import { type Amounts, sameAmounts, within } from '../planner/amounts.js';
import type { Direction } from '../planner/plan-size.js';
import type { BalloonPod } from '../pods/balloon-pod.js';
import { type AskedResize, judgeResize, rollbackStep } from './judge-resize.js';

/**
 * One resize at work. What of it must survive a crash is in the ticket on the
 * NodeSize; the rest is where we are, which a new leader finds out by looking.
 */
export interface ResizeWork {
  readonly id: string;
  readonly direction: Direction;
  readonly from: Amounts;
  readonly to: Amounts;
  /** What the balloon asks for, one patch after the other. */
  readonly patches: readonly Amounts[];
  readonly podUID: string;
  /** Generation of the NodeSize that this carries out. */
  readonly generation: number;
  readonly partial: boolean;
  /** Only cpu is resized, though other memory is wanted. */
  readonly cpuOnly?: boolean;
  readonly fenced: boolean;
  /** Monotonic, in milliseconds. */
  readonly startedMs: number;
  /** Until when the kubelet may take it; monotonic, in milliseconds. */
  readonly deadlineMs: number;
  readonly phase: WorkPhase;
}

export type WorkPhase =
  /** The machine grows first. */
  | { readonly kind: 'growing'; readonly sinceMs: number }
  /** The fence stands; schedulers may still act on what they knew. */
  | { readonly kind: 'settling'; readonly sinceMs: number }
  /** Before each patch: whether the plan still holds. */
  | { readonly kind: 'checking'; readonly patch: number }
  | { readonly kind: 'observing'; readonly patch: number; readonly asked: AskedResize; readonly sinceMs: number }
  | { readonly kind: 'rolling-back'; readonly asked: AskedResize; readonly ending: Ending; readonly sinceMs: number }
  /** The balloon has grown; the machine gives back what it hides. */
  | { readonly kind: 'shrinking'; readonly sinceMs: number }
  /** A leader before us left it; nobody knows how far it came. */
  | { readonly kind: 'inherited' };

/** How a resize ends. */
export interface Ending {
  readonly result: ResizeResult;
  readonly reason: string;
  readonly message: string;
}

/** What is seen when the next step is decided. */
export interface Seen {
  /** The balloon pod; undefined when there is none. */
  readonly pod: BalloonPod | undefined;
  readonly nodeExists: boolean;
  /** Generation of the NodeSize now. */
  readonly generation: number;
  readonly nowMs: number;
}

export interface StepTimes {
  readonly settleMs: number;
  readonly observeMs: number;
  readonly rollbackMs: number;
  /** The hardware follows the balloon. */
  readonly actuated: boolean;
}

/** What to do next. Only one thing at a time, so that a crash leaves little to find out. */
export type NextStep =
  | { readonly kind: 'wait'; readonly forMs: number; readonly work: ResizeWork }
  | { readonly kind: 'grow-hardware'; readonly work: ResizeWork }
  /** Look at everything once more, and patch only if the plan still holds. */
  | { readonly kind: 'check'; readonly work: ResizeWork }
  /** Read the pod itself, not a cache, and decide by that. */
  | { readonly kind: 'look'; readonly work: ResizeWork }
  | { readonly kind: 'take-back'; readonly work: ResizeWork; readonly to: Amounts; readonly resourceVersion: string }
  | { readonly kind: 'shrink-hardware'; readonly work: ResizeWork }
  | { readonly kind: 'close'; readonly ending: Ending };

/**
 * Decides the next step of a resize. `look` comes back to `afterLook`, since a cache
 * may be older than what we wrote ourselves.
 */
export function nextStep(work: ResizeWork, seen: Seen, times: StepTimes): NextStep {
  if (!seen.nodeExists) return close('NodeGone', 'NodeGone', 'the node went away');
  const { phase } = work;
  switch (phase.kind) {
    case 'growing':
      return { kind: 'grow-hardware', work };
    case 'shrinking':
      return { kind: 'shrink-hardware', work };
    case 'settling':
      return afterSettling(work, phase.sinceMs, seen, times);
    case 'checking':
      return seen.generation === work.generation ? { kind: 'check', work } : superseded();
    case 'observing':
      return whileObserving(work, phase, seen, times);
    case 'rolling-back':
    case 'inherited':
      return { kind: 'look', work };
  }
}

function afterSettling(work: ResizeWork, sinceMs: number, { nowMs }: Seen, { settleMs }: StepTimes): NextStep {
  const left = sinceMs + settleMs - nowMs;
  if (left > 0) return { kind: 'wait', forMs: left, work };
  return { kind: 'check', work: { ...work, phase: { kind: 'checking', patch: 0 } } };
}

function whileObserving(
  work: ResizeWork,
  phase: Extract<WorkPhase, { kind: 'observing' }>,
  seen: Seen,
  times: StepTimes,
): NextStep {
  const verdict = judgeResize(phase.asked, seen.pod);
  switch (verdict.kind) {
    case 'pod-replaced':
      return podReplaced();
    case 'succeeded':
      return afterPatch(work, phase.patch, seen, times);
    case 'roll-back':
      return turnBack(work, phase.asked, seen, deferredOrNever(verdict.because, verdict.message));
    case 'wait':
      break;
  }
  if (seen.generation !== work.generation) return turnBack(work, phase.asked, seen, supersededEnding);
  const left = Math.min(phase.sinceMs + times.observeMs, work.deadlineMs) - seen.nowMs;
  if (left > 0) return { kind: 'wait', forMs: left, work };
  return { kind: 'look', work };
}

/** A patch was carried out: the next one, the hardware, or the end. */
function afterPatch(work: ResizeWork, patch: number, { nowMs }: Seen, { actuated }: StepTimes): NextStep {
  if (patch + 1 < work.patches.length)
    return { kind: 'check', work: { ...work, phase: { kind: 'checking', patch: patch + 1 } } };
  if (actuated && work.direction !== 'Up')
    return { kind: 'shrink-hardware', work: { ...work, phase: { kind: 'shrinking', sinceMs: nowMs } } };
  return { kind: 'close', ending: done(work) };
}

export const partlyDone: Ending = {
  result: 'Partial',
  reason: 'PodsUseTheRest',
  message: 'as far as what other pods ask for allows',
};

/** How a resize ends that came as far as it was to come. */
export function done({ partial, cpuOnly }: ResizeWork): Ending {
  if (cpuOnly) return { result: 'Partial', reason: 'SwapBlocksMemory', message: 'cpu alone: memory may swap' };
  return partial
    ? partlyDone
    : { result: 'Succeeded', reason: 'Allocated', message: 'the kubelet has set aside what was asked for' };
}

/**
 * Only what grows is taken back. A balloon that shrinks is always admitted once its
 * kubelet is there again, and until then the scheduler counts what is set aside.
 */
function turnBack(work: ResizeWork, asked: AskedResize, { nowMs }: Seen, ending: Ending): NextStep {
  if (within(asked.to, work.from)) return { kind: 'close', ending };
  return { kind: 'look', work: { ...work, phase: { kind: 'rolling-back', asked, ending, sinceMs: nowMs } } };
}

/** Decides by the pod as it was just read, in phases that must not go by a cache. */
export function afterLook(work: ResizeWork, seen: Seen, times: StepTimes): NextStep {
  const { phase } = work;
  if (phase.kind === 'observing') {
    const verdict = judgeResize(phase.asked, seen.pod);
    if (verdict.kind !== 'wait') return whileObserving(work, phase, seen, times);
    return turnBack(work, phase.asked, seen, timedOut(seen.nowMs - phase.sinceMs));
  }
  if (phase.kind === 'rolling-back') return whileRollingBack(work, phase, seen, times);
  return afterInheriting(work, seen);
}

function whileRollingBack(
  work: ResizeWork,
  phase: Extract<WorkPhase, { kind: 'rolling-back' }>,
  seen: Seen,
  times: StepTimes,
): NextStep {
  const step = rollbackStep(phase.asked, seen.pod);
  switch (step.kind) {
    case 'pod-replaced':
      return podReplaced();
    case 'accepted-late':
      return { kind: 'close', ending: done(work) };
    case 'rolled-back':
      return { kind: 'close', ending: phase.ending };
    case 'patch':
      return { kind: 'take-back', work, to: step.to, resourceVersion: step.resourceVersion };
    case 'wait':
      // The spec is back already; the kubelet only has to say so.
      return seen.nowMs - phase.sinceMs < times.rollbackMs
        ? { kind: 'wait', forMs: 200, work }
        : { kind: 'close', ending: phase.ending };
  }
}

/** A ticket of another leader: what it asked for and did not get is taken back, and the plan is made anew. */
function afterInheriting(work: ResizeWork, { pod, nowMs }: Seen): NextStep {
  if (!pod || pod.uid !== work.podUID || pod.deleting) return podReplaced();
  if (sameAmounts(pod.allocated, work.to)) return { kind: 'close', ending: done(work) };
  const ending: Ending = {
    result: 'RolledBack',
    reason: 'LeaderChanged',
    message: 'the controller that began it is gone; it is planned anew',
  };
  // A spec below what is set aside is a balloon that shrinks: nothing can go wrong with it.
  if (within(pod.desired, pod.allocated)) return { kind: 'close', ending };
  const asked: AskedResize = { podUID: work.podUID, to: pod.desired, podGeneration: pod.generation };
  return { kind: 'look', work: { ...work, phase: { kind: 'rolling-back', asked, ending, sinceMs: nowMs } } };
}

const supersededEnding: Ending = {
  result: 'Superseded',
  reason: 'SpecChanged',
  message: 'another size was asked for meanwhile',
};

/**
 * Whether a spec is answered by this, or will be tried anew at once because of what
 * had nothing to do with it.
 */
export function isAnswer({ result, reason }: Ending): boolean {
  return result !== 'Superseded' && result !== 'PodReplaced' && result !== 'NodeGone' && reason !== 'LeaderChanged';
}

function superseded(): NextStep {
  return { kind: 'close', ending: supersededEnding };
}

function podReplaced(): NextStep {
  return close('PodReplaced', 'PodReplaced', 'the balloon pod is another one now');
}

function timedOut(afterMs: number): Ending {
  return {
    result: 'TimedOut',
    reason: 'KubeletSilent',
    message: `the kubelet did not answer in ${Math.round(afterMs / 1000)} s`,
  };
}

function deferredOrNever(because: 'Deferred' | 'Infeasible', message: string): Ending {
  return because === 'Infeasible'
    ? { result: 'Infeasible', reason: 'Infeasible', message }
    : { result: 'RolledBack', reason: 'Deferred', message };
}

function close(result: ResizeResult, reason: string, message: string): NextStep {
  return { kind: 'close', ending: { result, reason, message } };
}
