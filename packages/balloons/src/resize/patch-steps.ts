import { hasReason, type KubeObject, StatusError } from '@slipway/kube';
import { readBalloonPod } from '../pods/balloon-pod.js';
import { patchPodSize } from '../pods/patch-balloon.js';
import { Pod } from '../pods/pod.js';
import { close, type NextStep, stepAfterReading } from '../ticket/next-step.js';
import type { ResizeWork, WorkPhase } from '../ticket/resize-work.js';
import { checkPlan, requestedNow } from './check-plan.js';
import { refusedEnding } from './refusals.js';
import { factsOf, nowMs, type ResizeContext, type ResizeDeps, reportPhaseEnd, stepTimes } from './resize-context.js';
import { within } from './time-limit.js';

/** The step that follows, and the pod as it was last read. */
interface Taken {
  readonly step: NextStep;
  readonly pod: KubeObject | undefined;
}

/** Patches that fail because the pod changed before a resize is given up and planned anew. */
const maxConflicts = 3;

/** Checks the plan against the current state, behind a fence as the API server itself has it, and patches the pod. */
export async function checkAndPatch(work: ResizeWork, context: ResizeContext, deps: ResizeDeps): Promise<Taken> {
  const { input, awaited, nodeName } = context;
  const sinceMs = nowMs(deps);
  const pod = await fetchPod(context, deps);
  if (!pod || pod.metadata.uid !== work.podUID || !input) {
    return { step: close(work, 'PodReplaced', 'PodReplaced', 'the balloon pod was replaced'), pod };
  }
  const requested = work.fenced ? await requestedNow(deps.kube, nodeName, work.podUID, deps.signal) : input.requested;
  const check = checkPlan(work, { ...input, requested, balloon: readBalloonPod(pod).allocated }, awaited);
  reportPhaseEnd(work, 'check', sinceMs, deps);
  if (check.kind === 'end') return { step: { kind: 'close', work, ending: check.ending }, pod };
  if (check.kind === 'go-on') return await patch(work, pod, context, deps);
  const { to, patches, partial } = check.plan;
  // The caller stores the shorter ticket before the pod is patched.
  return { step: { kind: 'wait', forMs: 0, work: { ...work, to, patches, partial, phase: firstPatch } }, pod };
}

type Checking = Extract<WorkPhase, { kind: 'checking' }>;
const firstPatch: Checking = { kind: 'checking', patch: 0 };

async function patch(work: ResizeWork, pod: KubeObject, context: ResizeContext, deps: ResizeDeps): Promise<Taken> {
  const { kube, signal } = deps;
  const { patchMs, verifyMs, observeMs } = context.policy;
  const { patch: index, conflicts = 0 }: Checking = work.phase.kind === 'checking' ? work.phase : firstPatch;
  const to = work.patches[index] ?? work.to;
  const sinceMs = nowMs(deps);
  const observing = (podGeneration: number | undefined, forMs: number): NextStep => {
    reportPhaseEnd(work, 'patch', sinceMs, deps);
    const asked = { podUID: work.podUID, to, podGeneration };
    return {
      kind: 'wait',
      forMs,
      work: { ...work, phase: { kind: 'observing', patch: index, asked, sinceMs: nowMs(deps) } },
    };
  };
  try {
    const limits = { clock: kube.clock, limitMs: patchMs, signal };
    const patched = await within(limits, (limited) => patchPodSize(kube, pod, to, limited));
    return { step: observing(patched.metadata.generation, observeMs), pod: patched };
  } catch (error) {
    if (signal.aborted) throw error;
    const ending = refusedEnding(error);
    if (ending) return { step: { kind: 'close', work, ending }, pod };
    // Without an answer the patch may have arrived. The pod shows it later; in doubt it is rolled back.
    if (!(error instanceof StatusError)) return { step: observing(undefined, verifyMs), pod };
    if (!hasReason(error, 'Conflict')) throw error;
    if (conflicts + 1 >= maxConflicts) {
      return { step: close(work, 'Superseded', 'PodChanged', 'the balloon pod changes too often'), pod };
    }
    const phase = { kind: 'checking', patch: index, conflicts: conflicts + 1 } as const;
    return { step: { kind: 'check', work: { ...work, phase } }, pod };
  }
}

/** Reads the pod from the API server and decides by it. */
export async function readPod(work: ResizeWork, context: ResizeContext, deps: ResizeDeps): Promise<Taken> {
  const pod = await fetchPod(context, deps);
  return { step: stepAfterReading(work, factsOf(context, deps, pod), stepTimes(context)), pod };
}

/** Reverts the requests of the pod to what is allocated, unless the pod has changed since it was read. */
export async function rollBack(
  { work, to, resourceVersion }: Extract<NextStep, { kind: 'roll-back' }>,
  context: ResizeContext,
  deps: ResizeDeps,
): Promise<Taken> {
  const { pod } = context;
  if (pod && pod.metadata.resourceVersion === resourceVersion) {
    try {
      await patchPodSize(deps.kube, pod, to, deps.signal);
    } catch (error) {
      if (!hasReason(error, 'Conflict')) throw error;
    }
  }
  return await readPod(work, context, deps);
}

async function fetchPod({ pod }: ResizeContext, { kube, signal }: ResizeDeps): Promise<KubeObject | undefined> {
  if (!pod) return undefined;
  const { namespace, name = '' } = pod.metadata;
  return await kube.resource(Pod).find({ namespace, name }, signal);
}
