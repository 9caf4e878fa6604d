import type { ResizeResult } from '../api/node-size.js';
import { type Amounts, sameAmounts, within } from '../planner/amounts.js';
import type { BalloonPod } from '../pods/balloon-pod.js';
import { type AskedResize, judgeResize, rollbackStep } from './judge-resize.js';
import { done, type Ending, type ResizeWork, type WorkPhase } from './resize-work.js';

/** The state by which the next step is decided. */
export interface StepFacts {
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
  /** Whether an actuator resizes the machine. */
  readonly actuated: boolean;
}

/** What to do next. One effect per step, so that a crash leaves little to find out. */
export type NextStep =
  | { readonly kind: 'wait'; readonly forMs: number; readonly work: ResizeWork }
  | { readonly kind: 'grow-hardware'; readonly work: ResizeWork }
  /** Check the plan against the current state, and patch the pod if the plan still holds. */
  | { readonly kind: 'check'; readonly work: ResizeWork }
  /** Read the pod from the API server, not from a cache, and decide by that. */
  | { readonly kind: 'read-pod'; readonly work: ResizeWork }
  | { readonly kind: 'roll-back'; readonly work: ResizeWork; readonly to: Amounts; readonly resourceVersion: string }
  | { readonly kind: 'shrink-hardware'; readonly work: ResizeWork }
  | { readonly kind: 'close'; readonly work: ResizeWork; readonly ending: Ending };

/**
 * Decides the next step of a resize. The pod that `read-pod` reads is passed to `stepAfterReading`, since a cache may be
 * older than our own last write.
 */
export function nextStep(work: ResizeWork, facts: StepFacts, times: StepTimes): NextStep {
  if (!facts.nodeExists) return close(work, 'NodeGone', 'NodeGone', 'the node was deleted');
  const { phase } = work;
  switch (phase.kind) {
    case 'growing':
      return { kind: 'grow-hardware', work };
    case 'shrinking':
      return { kind: 'shrink-hardware', work };
    case 'settling':
      return stepAfterSettling(work, phase.sinceMs, facts, times);
    case 'checking':
      return facts.generation === work.generation ? { kind: 'check', work } : closeWith(work, supersededEnding);
    case 'observing':
      return stepWhileObserving(work, phase, facts, times);
    case 'rolling-back':
    case 'inherited':
      return { kind: 'read-pod', work };
  }
}

function stepAfterSettling(work: ResizeWork, sinceMs: number, { nowMs }: StepFacts, { settleMs }: StepTimes): NextStep {
  const left = sinceMs + settleMs - nowMs;
  if (left > 0) return { kind: 'wait', forMs: left, work };
  return { kind: 'check', work: { ...work, phase: { kind: 'checking', patch: 0 } } };
}

function stepWhileObserving(
  work: ResizeWork,
  phase: Extract<WorkPhase, { kind: 'observing' }>,
  facts: StepFacts,
  times: StepTimes,
): NextStep {
  const verdict = judgeResize(phase.asked, facts.pod);
  switch (verdict.kind) {
    case 'pod-replaced':
      return podReplaced(work);
    case 'succeeded':
      return stepAfterPatch(work, phase.patch, facts, times);
    case 'roll-back':
      return beginRollback(work, phase.asked, facts, deferredOrNever(verdict.because, verdict.message));
    case 'wait':
      break;
  }
  if (facts.generation !== work.generation) return beginRollback(work, phase.asked, facts, supersededEnding);
  const left = Math.min(phase.sinceMs + times.observeMs, work.deadlineMs) - facts.nowMs;
  if (left > 0) return { kind: 'wait', forMs: left, work };
  return { kind: 'read-pod', work };
}

/** The next patch, the hardware, or the end. */
function stepAfterPatch(work: ResizeWork, patch: number, { nowMs }: StepFacts, { actuated }: StepTimes): NextStep {
  if (patch + 1 < work.patches.length)
    return { kind: 'check', work: { ...work, phase: { kind: 'checking', patch: patch + 1 } } };
  if (actuated && work.direction !== 'Up')
    return { kind: 'shrink-hardware', work: { ...work, phase: { kind: 'shrinking', sinceMs: nowMs } } };
  return closeWith(work, done(work));
}

/**
 * Only a balloon that grows is rolled back. One that shrinks is always admitted once its kubelet is back, and until then
 * the scheduler counts what is allocated.
 */
function beginRollback(work: ResizeWork, asked: AskedResize, { nowMs }: StepFacts, ending: Ending): NextStep {
  if (within(asked.to, work.from)) return closeWith(work, ending);
  return { kind: 'read-pod', work: { ...work, phase: { kind: 'rolling-back', asked, ending, sinceMs: nowMs } } };
}

/** Decides by the pod as it was just read, in phases in which a cache is not enough. */
export function stepAfterReading(work: ResizeWork, facts: StepFacts, times: StepTimes): NextStep {
  const { phase } = work;
  if (phase.kind === 'observing') {
    const verdict = judgeResize(phase.asked, facts.pod);
    if (verdict.kind !== 'wait') return stepWhileObserving(work, phase, facts, times);
    return beginRollback(work, phase.asked, facts, timedOut(facts.nowMs - phase.sinceMs));
  }
  if (phase.kind === 'rolling-back') return stepWhileRollingBack(work, phase, facts, times);
  return stepAfterInheriting(work, facts);
}

function stepWhileRollingBack(
  work: ResizeWork,
  phase: Extract<WorkPhase, { kind: 'rolling-back' }>,
  facts: StepFacts,
  times: StepTimes,
): NextStep {
  const step = rollbackStep(phase.asked, facts.pod);
  switch (step.kind) {
    case 'pod-replaced':
      return podReplaced(work);
    case 'accepted-late':
      return closeWith(work, done(work));
    case 'rolled-back':
      return closeWith(work, phase.ending);
    case 'patch':
      return { kind: 'roll-back', work, to: step.to, resourceVersion: step.resourceVersion };
    case 'wait':
      // The spec is reverted already; only the kubelet has not confirmed it.
      return facts.nowMs - phase.sinceMs < times.rollbackMs
        ? { kind: 'wait', forMs: 200, work }
        : closeWith(work, phase.ending);
  }
}

/** What an earlier leader requested and did not get is rolled back, and the resize is planned anew. */
function stepAfterInheriting(work: ResizeWork, { pod, nowMs }: StepFacts): NextStep {
  if (!pod || pod.uid !== work.podUID || pod.deleting) return podReplaced(work);
  if (sameAmounts(pod.allocated, work.to)) return closeWith(work, done(work));
  const ending: Ending = {
    result: 'RolledBack',
    reason: 'LeaderChanged',
    message: 'the controller that began it is gone; it is planned anew',
  };
  // A spec below what is allocated is a balloon that shrinks, which is always safe.
  if (within(pod.desired, pod.allocated)) return closeWith(work, ending);
  const asked: AskedResize = { podUID: work.podUID, to: pod.desired, podGeneration: pod.generation };
  return { kind: 'read-pod', work: { ...work, phase: { kind: 'rolling-back', asked, ending, sinceMs: nowMs } } };
}

const supersededEnding: Ending = {
  result: 'Superseded',
  reason: 'SpecChanged',
  message: 'the spec changed during the resize',
};

function podReplaced(work: ResizeWork): NextStep {
  return close(work, 'PodReplaced', 'PodReplaced', 'the balloon pod was replaced');
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

/** Ends a resize for a reason that is given here. */
export function close(work: ResizeWork, result: ResizeResult, reason: string, message: string): NextStep {
  return closeWith(work, { result, reason, message });
}

function closeWith(work: ResizeWork, ending: Ending): NextStep {
  return { kind: 'close', work, ending };
}
