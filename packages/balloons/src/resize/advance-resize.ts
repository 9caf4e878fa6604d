import type { KubeObject } from '@slipway/kube';
import { lowerFence } from '../nodes/fence.js';
import { type NextStep, nextStep } from '../ticket/next-step.js';
import type { Ending, ResizeWork, WorkPhase } from '../ticket/resize-work.js';
import { phaseEnded } from '../ticket/timed-phase.js';
import { growHardware, shrinkHardware } from './hardware-steps.js';
import { checkAndPatch, readPod, rollBack } from './patch-steps.js';
import { factsOf, nowMs, type ResizeContext, type ResizeDeps, reportPhaseEnd, stepTimes } from './resize-context.js';

/** Where a resize is after as many steps as could be taken without waiting. */
export type ResizeProgress =
  | { readonly kind: 'open'; readonly work: ResizeWork; readonly againInMs: number }
  | {
      readonly kind: 'closed';
      readonly work: ResizeWork;
      readonly ending: Ending;
      /** The pod as it was last read. */
      readonly pod: KubeObject | undefined;
    };

/** More than any resize needs, conflicts included. */
const maxSteps = 50;

/**
 * Takes one step after the other until one has to wait or the resize has ended. Each step has one effect; the fence is
 * lowered before the resize closes, and when it has been up for as long as the policy allows.
 */
export async function advanceResize(
  start: ResizeWork,
  context: ResizeContext,
  deps: ResizeDeps,
): Promise<ResizeProgress> {
  const lowersAtMs = start.startedMs + context.policy.fence.maxMs;
  let { pod } = context;
  let step = nextStep(start, factsOf(context, deps, pod), stepTimes(context));
  let { phase } = start;
  for (let steps = 0; steps < maxSteps; steps++) {
    phase = reportPhase(phase, step, deps);
    const isLast = step.kind === 'close' || step.kind === 'shrink-hardware';
    if (isLast || nowMs(deps) >= lowersAtMs) step = await withoutFence(step, context, deps);
    if (step.kind === 'close') return { kind: 'closed', work: step.work, ending: step.ending, pod };
    if (step.kind === 'wait') {
      const fenceMs = step.work.fenced ? lowersAtMs - nowMs(deps) : step.forMs;
      return { kind: 'open', work: step.work, againInMs: Math.min(step.forMs, fenceMs) };
    }
    ({ step, pod } = await take(step, { ...context, pod }, deps));
  }
  throw new Error(`resize ${start.id} did not come to an end in ${maxSteps} steps`);
}

type Effect = Exclude<NextStep, { kind: 'close' | 'wait' }>;

async function take(
  step: Effect,
  context: ResizeContext,
  deps: ResizeDeps,
): Promise<{ readonly step: NextStep; readonly pod: KubeObject | undefined }> {
  switch (step.kind) {
    case 'check':
      return await checkAndPatch(step.work, context, deps);
    case 'read-pod':
      return await readPod(step.work, context, deps);
    case 'roll-back':
      return await rollBack(step, context, deps);
    case 'grow-hardware':
      return { step: await growHardware(step.work, context, deps), pod: context.pod };
    case 'shrink-hardware':
      return { step: await shrinkHardware(step.work, context, deps), pod: context.pod };
  }
}

/** Reports how long a phase took when the step leads to another one; returns the phase from now on. */
function reportPhase(before: WorkPhase, step: NextStep, deps: ResizeDeps): WorkPhase {
  const after = step.kind === 'close' ? undefined : step.work.phase;
  const ended = phaseEnded(before, after);
  if (ended) reportPhaseEnd(step.work, ended.phase, ended.sinceMs, deps);
  return after ?? before;
}

/** Lets new pods onto the node again. */
async function withoutFence(step: NextStep, { node, nodeName }: ResizeContext, deps: ResizeDeps): Promise<NextStep> {
  if (!step.work.fenced || !node) return step;
  await lowerFence(deps.kube, nodeName, deps.signal);
  return { ...step, work: { ...step.work, fenced: false } };
}
