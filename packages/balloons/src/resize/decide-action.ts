import type { NodeSize } from '../api/node-size.js';
import { type Amounts, parseAmounts, sameAmounts, within } from '../planner/amounts.js';
import { leavesLittleRoom, type PlanInput, planSize, type Resize } from '../planner/plan-size.js';
import { shortfallInWords, sizeProblem } from '../planner/size-problem.js';
import { fullSize } from '../planner/size-wish.js';
import type { BalloonPod } from '../pods/balloon-pod.js';
import { mayPreemptWhenNew } from '../priority/priority-modes.js';
import { type Ending, partlyDone } from '../ticket/resize-work.js';
import { balloonBefore, hasReachedSpec } from './balloon-before.js';
import { type Degradation, type NotReady, waiting } from './conditions.js';
import { isDeleted, isGivenBack, isSpecObserved, type Observation } from './observation.js';
import { held, lastingDegradation, obstacleTo, unsafePriority } from './obstacles.js';
import { boundsExceeded, inputFor, isOverSize, lacksMemory, planInput } from './plan-input.js';
import { degradationOf, externalResize, memoryMaySwap } from './refusals.js';

/** What to do about a node. */
export type Action =
  /** Nothing but to keep the status up to date. */
  | {
      readonly kind: 'report';
      readonly notReady?: NotReady;
      readonly degradation?: Degradation | undefined;
      readonly againInMs?: number;
    }
  /** The spec gets a result without a resize. */
  | { readonly kind: 'conclude'; readonly ending: Ending; readonly from?: Amounts; readonly notReady?: NotReady }
  /** A balloon pod that is gated, or for which there is no room, gets its size. */
  | { readonly kind: 'size-new-pod'; readonly to: Amounts; readonly hidesMuch: boolean }
  /** The pod requests more than the kubelet has allocated: its requests are reverted. */
  | { readonly kind: 'roll-back'; readonly ending: Ending }
  | {
      readonly kind: 'resize';
      readonly plan: Resize;
      readonly fenced: boolean;
      /** Other memory is desired too, and cannot be had. */
      readonly cpuOnly: boolean;
    }
  /** The node has its size, and the machine behind it does not, or its size is not known. */
  | { readonly kind: 'sync-hardware' }
  /** The node has all of its hardware again: its NodeSize may be deleted. */
  | { readonly kind: 'remove-finalizer' };

type Report = Omit<Extract<Action, { kind: 'report' }>, 'kind'>;

/** Decides what to do about one node. The first rule that applies counts. */
export function decideAction(observation: Observation): Action {
  const { pod, size } = observation;
  const givesBack = isGivenBack(observation);
  if (pod && !pod.bound) return sizeNewPod(observation, pod);
  if (!pod?.running || pod.deleting) {
    return givesBack && isDeleted(size) ? { kind: 'remove-finalizer' } : withoutBalloon(observation);
  }
  if (pod.pending) return rollBack('Deferred', pod.pending.message);
  if (size.spec.mode === 'External' && !givesBack) return report(observation, {});
  if (!within(pod.desired, pod.allocated)) return rollBack(externalResize, 'another client resized the balloon pod');
  if (size.spec.paused && !givesBack) return report(observation, { notReady: paused });
  if (!sameAmounts(pod.desired, pod.allocated)) {
    return report(observation, { notReady: waiting('the kubelet has not released the difference yet') });
  }
  const input = planInput(observation, pod);
  if (typeof input === 'string') return reject(observation, input);
  const problem = mustBeInBounds(observation) ? sizeProblem(boundsExceeded(input)) : undefined;
  return problem ? reject(observation, problem) : carryOut(observation, pod, input);
}

function carryOut(observation: Observation, pod: BalloonPod, input: PlanInput): Action {
  const { size } = observation;
  const plan = planSize(input);
  if (plan.kind === 'does-not-fit') {
    return cameInPart(observation, pod) ?? doesNotFit(observation, shortfallInWords(input, plan));
  }
  if (plan.kind === 'resize') return resize(observation, pod, input, plan);
  if (isOutOfSync(observation)) {
    return observation.heldMs > 0 ? report(observation, held(observation)) : { kind: 'sync-hardware' };
  }
  if (isDeleted(size)) return { kind: 'remove-finalizer' };
  if (lacksMemory(observation, pod)) return withoutMemory(observation);
  return isSpecObserved(size) ? report(observation, revertedLately(observation)) : concludeAtSize(observation, pod);
}

function resize(observation: Observation, pod: BalloonPod, input: PlanInput, plan: Resize): Action {
  const obstacle = obstacleTo(observation, plan);
  if (obstacle) return report(observation, obstacle);
  if (observation.awaited && plan.direction !== 'Up') {
    return doesNotFit(observation, 'a pod on the node waits to grow; the space is for it');
  }
  const unsafe = plan.direction === 'Up' ? undefined : unsafePriority(observation, pod);
  if (unsafe) return report(observation, unsafe);
  const fenced = needsFence(observation, input, plan);
  return { kind: 'resize', plan, fenced, cpuOnly: lacksMemory(observation, pod) };
}

function isOutOfSync({ size, actuator }: Observation): boolean {
  const { phase = 'InSync' } = size.status?.actuator ?? {};
  return actuator === 'known' && phase !== 'InSync';
}

/**
 * A new spec has to be possible, and is rejected until it is. One that was possible once is cut to what there is, since
 * only its node changed.
 */
function mustBeInBounds({ size }: Observation): boolean {
  return !isSpecObserved(size) || size.status?.lastResize?.reason === outOfBounds;
}

const outOfBounds = 'OutOfBounds';

/** Goes as far as it fits; the rest is resized later. The pod starts small where new pods may preempt. */
function sizeNewPod(observation: Observation, pod: BalloonPod): Action {
  if (!pod.gated && !pod.unschedulable) return withoutBalloon(observation);
  const smallest = observation.policy.limits.minBalloon;
  const input = planInput({ ...observation, size: externalAsItWas(observation.size) }, { ...pod, allocated: smallest });
  const known = typeof input === 'string' ? inputFor(observation, smallest, fullSize) : input;
  const plan = planSize({ ...known, fit: 'BestEffort' });
  const to = plan.kind === 'resize' ? plan.to : smallest;
  if (!pod.gated && sameAmounts(to, pod.desired)) return withoutBalloon(observation);
  const hidesMuch = !sameAmounts(to, smallest);
  return { kind: 'size-new-pod', to: mayPreemptWhenNew(pod.priority) ? smallest : to, hidesMuch };
}

/** In mode External a new pod is as large as the one before. */
function externalAsItWas(size: NodeSize): NodeSize {
  const before = size.status?.balloon?.allocated;
  if (size.spec.mode !== 'External' || !before) return size;
  return { ...size, spec: { mode: 'Balloon', balloon: before } };
}

function withoutMemory(observation: Observation): Action {
  const notReady = waiting(memoryMaySwap.message);
  if (!isSpecObserved(observation.size)) return { kind: 'conclude', ending: memoryMaySwap, notReady };
  return report(observation, { notReady, degradation: degradationOf(memoryMaySwap) });
}

function withoutBalloon(observation: Observation): Action {
  const { pod } = observation;
  const state = pod?.deleting ? 'is being deleted' : 'does not run';
  const what = pod ? `balloon pod ${pod.namespace}/${pod.name} ${state}` : 'no balloon pod runs on the node';
  // The scheduler counts a pod from when it is bound.
  const message = pod?.bound ? what : `${what}, so nothing of the node is hidden`;
  const degradation = { reason: whyMissing(pod), message };
  return report(observation, { notReady: waiting(message), degradation });
}

function whyMissing(pod: BalloonPod | undefined): Degradation['reason'] {
  if (pod?.disruption === undefined) return 'BalloonMissing';
  return pod.disruption === 'EvictionByEvictionAPI' ? 'BalloonEvicted' : 'BalloonPreempted';
}

function rollBack(reason: string, message: string): Action {
  return { kind: 'roll-back', ending: { result: 'RolledBack', reason, message } };
}

function reject(observation: Observation, message: string): Action {
  const notReady = waiting(message);
  if (isSpecObserved(observation.size)) return report(observation, { notReady });
  return { kind: 'conclude', ending: { result: 'Rejected', reason: outOfBounds, message }, notReady };
}

function doesNotFit(observation: Observation, message: string): Action {
  const notReady = waiting(isOverSize(observation) ? `${message}; new pods are kept away until it fits` : message);
  if (isSpecObserved(observation.size)) return report(observation, { notReady });
  return { kind: 'conclude', ending: { result: 'DoesNotFit', reason: 'PodsUseIt', message }, notReady };
}

/** A new balloon gets its size before it is scheduled, so that nothing is left to resize. */
function concludeAtSize({ size, policy }: Observation, pod: BalloonPod): Action {
  const from = balloonBefore(size, policy.limits.minBalloon);
  return { kind: 'conclude', from, ending: sameAmounts(from, pod.allocated) ? nothingToDo : createdAtSize };
}

/** The same where pods left it less than desired, and the spec accepts that. */
function cameInPart({ size, policy }: Observation, pod: BalloonPod): Action | undefined {
  const from = balloonBefore(size, policy.limits.minBalloon);
  if (isSpecObserved(size) || size.spec.fit !== 'BestEffort' || sameAmounts(from, pod.allocated)) return undefined;
  return { kind: 'conclude', from, ending: partlyDone };
}

/** A resize by others is reported for as long as a failed resize would be held. */
function revertedLately({ size, heldMs }: Observation): Pick<Report, 'degradation' | 'againInMs'> {
  const { lastResize } = size.status ?? {};
  const isReported = heldMs > 0 && lastResize?.reason === externalResize;
  return isReported ? { degradation: degradationOf(lastResize), againInMs: heldMs } : {};
}

function needsFence({ size, actuator, policy }: Observation, input: PlanInput, plan: Resize): boolean {
  if (plan.direction === 'Up') return false;
  const mode = size.spec.fence ?? policy.fence.mode;
  if (mode !== 'Auto') return mode === 'Always';
  // The node gained hardware or lost its balloon, and the pods that wait for room are about to be placed there.
  if (hasReachedSpec(size)) return true;
  return actuator !== 'none' || leavesLittleRoom(input, plan.to, policy.fence.headroomPercent);
}

function report(observation: Observation, { degradation, ...rest }: Report): Action {
  return { kind: 'report', ...rest, degradation: degradation ?? lastingDegradation(observation) };
}

const paused: NotReady = { reason: 'Paused', message: 'spec.paused is set' };
const createdAtSize: Ending = {
  result: 'Succeeded',
  reason: 'AtSize',
  message: 'the balloon was created with that size',
};
const nothingToDo: Ending = { result: 'NoChange', reason: 'AtSize', message: 'the node had that size already' };

/** Whether another client resized the pod since its size was last written to the status. */
export function isForeign({ status }: NodeSize, pod: BalloonPod): boolean {
  const known = status?.balloon?.desired;
  return status?.podRef?.uid === pod.uid && known !== undefined && !sameAmounts(parseAmounts(known), pod.desired);
}
