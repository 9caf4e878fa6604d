import type { NodeSize } from '../api/node-size.js';
import type { NodeView } from '../nodes/node-view.js';
import { type Amounts, minus, nothing, parseAmounts, resources, sameAmounts, within } from '../planner/amounts.js';
import { leavesLittleRoom, type OutOfBounds, type PlanInput, planSize, type Resize } from '../planner/plan-size.js';
import { shortfallInWords, sizeProblem } from '../planner/size-problem.js';
import { fullSize, readWish, type SizeWish } from '../planner/size-wish.js';
import type { BalloonPod } from '../pods/balloon-pod.js';
import { mayPreemptWhenNew, whyUnsafe } from '../priority/priority-modes.js';
import type { PolicySettings } from '../settings/policy-settings.js';
import { type Ending, partlyDone } from '../ticket/resize-work.js';
import { balloonBefore, hasReachedSpec } from './balloon-before.js';
import { degradationOf, externalResize, memoryMaySwap } from './refusals.js';
import type { Degradation, NotReady } from './size-status.js';

/** Everything one look at a node without a resize at work sees. */
export interface Look {
  readonly size: NodeSize;
  readonly node: NodeView;
  readonly policy: PolicySettings;
  readonly pod: BalloonPod | undefined;
  /** Effective requests of all other pods on the node. */
  readonly requested: Amounts;
  /** A pod of the node waits to grow. */
  readonly awaited: boolean;
  /** The last resize failed, and is not tried again for so long. */
  readonly heldMs: number;
  /** Another policy that has as good a claim to the node. */
  readonly rival: string | undefined;
  /** What the autosizer would make of it. */
  readonly recommended: Amounts | undefined;
  /** How long nothing was said about it, in milliseconds. */
  readonly quietMs: number;
  /** The kubelet resizes no memory of this balloon pod, because it may swap. */
  readonly memoryStuck: boolean;
  /** Whether the actuator that the policy names is one of ours. */
  readonly actuator: 'none' | 'known' | 'missing';
}

/** What to do about it. */
export type Act =
  | {
      readonly kind: 'rest';
      readonly notReady?: NotReady;
      readonly degradation?: Degradation | undefined;
      readonly againInMs?: number;
    }
  /** The spec is answered without anything being done. */
  | { readonly kind: 'answer'; readonly ending: Ending; readonly from?: Amounts; readonly notReady?: NotReady }
  /** A balloon pod that no scheduler may see yet, or for which there is no room, gets its size. */
  | { readonly kind: 'size-new-pod'; readonly to: Amounts; readonly hidesMuch: boolean }
  /** Somebody else asked for more, and the kubelet has not taken it. */
  | { readonly kind: 'take-back'; readonly ending: Ending }
  | {
      readonly kind: 'resize';
      readonly plan: Resize;
      readonly input: PlanInput;
      readonly fenced: boolean;
      /** Other memory is wanted too, and cannot be had. */
      readonly cpuOnly: boolean;
    }
  /** The node has its size and the machine behind it has not, or nobody knows. */
  | { readonly kind: 'sync-hardware' }
  /** The node has back all it had: nothing keeps the NodeSize any more. */
  | { readonly kind: 'let-go' };

type Rest = Omit<Extract<Act, { kind: 'rest' }>, 'kind'>;

/** Decides what to do about one node. The first rule that applies counts. */
export function chooseAct(look: Look): Act {
  const { pod, size, policy } = look;
  const givesBack = isGivenBack(look);
  if (pod && !pod.bound) return sizeNewPod(look, pod);
  if (!pod?.running || pod.deleting) return givesBack && isDeleted(size) ? { kind: 'let-go' } : withoutBalloon(look);
  if (pod.pending) return takeBack('Deferred', pod.pending.message);
  if (size.spec.mode === 'External' && !givesBack) return atRest(look, {});
  if (!within(pod.desired, pod.allocated)) return takeBack(externalResize, 'somebody else resized the balloon pod');
  if (size.spec.paused && !givesBack) return atRest(look, { notReady: paused });
  if (!sameAmounts(pod.desired, pod.allocated)) return atRest(look, waits('the kubelet has not let go of it yet'));
  const input = planInput(look, pod);
  if (typeof input === 'string') return refuse(look, input);
  const problem = mustBeInBounds(look) ? sizeProblem(bounds(input)) : undefined;
  if (problem) return refuse(look, problem);
  const plan = planSize(input);
  if (plan.kind === 'does-not-fit') {
    return camePartly(look, pod) ?? doesNotFit(look, shortfallInWords(input, plan));
  }
  if (plan.kind === 'at-size') {
    if (isOutOfSync(look)) return look.heldMs > 0 ? held(look, size, look.heldMs) : { kind: 'sync-hardware' };
    if (isDeleted(size)) return { kind: 'let-go' };
    if (lacksMemory(look, pod)) return withoutMemory(look);
    return isAnswered(size) ? atRest(look, revertedLately(look)) : answerAtSize(look, pod);
  }
  const obstacle = whyNotNow(look, pod, plan);
  const how = { fenced: needsFence(look, input, plan, policy), cpuOnly: lacksMemory(look, pod) };
  return obstacle ?? { kind: 'resize', plan, input, ...how };
}

/** What a plan for the node is made from, or why its spec cannot be read. Memory that is stuck stays as it is. */
export function planInput(look: Look, pod: BalloonPod): PlanInput | string {
  const stays = { kind: 'balloon', amount: pod.allocated.memory } as const;
  const input = wholeInput(look, pod);
  return look.memoryStuck && typeof input !== 'string' ? { ...input, wish: { ...input.wish, memory: stays } } : input;
}

function wholeInput(look: Look, pod: BalloonPod): PlanInput | string {
  try {
    return inputFor(look, pod.allocated, isGivenBack(look) ? fullSize : readWish(look.size.spec));
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function inputFor({ node, policy, requested, size }: Look, balloon: Amounts, wish: SizeWish): PlanInput {
  const { limits } = policy;
  return { allocatable: node.allocatable, requested, balloon, wish, fit: fitOf(size), limits };
}

/** A size that was reached is kept as closely as pods allow: all of the hardware that a node gains would be theirs otherwise. */
function fitOf(size: NodeSize): PlanInput['fit'] {
  return hasReachedSpec(size) ? 'BestEffort' : (size.spec.fit ?? 'Exact');
}

/** Disabled, or to be deleted: the node gets back all it has, whatever its spec says. */
function isGivenBack({ size, policy }: Look): boolean {
  return !policy.enabled || isDeleted(size);
}

function isDeleted({ metadata }: NodeSize): boolean {
  return metadata.deletionTimestamp !== undefined;
}

function isOutOfSync({ size, actuator }: Look): boolean {
  const { phase = 'InSync' } = size.status?.actuator ?? {};
  return actuator === 'known' && phase !== 'InSync';
}

export function isAnswered({ metadata, status }: NodeSize): boolean {
  return status?.observedGeneration === metadata.generation;
}

/**
 * A new spec has to be possible; it stays refused until it is. One that was possible
 * once is cut to what there is, for it is not to blame that its node changed.
 */
function mustBeInBounds({ size }: Look): boolean {
  return !isAnswered(size) || size.status?.lastResize?.reason === outOfBounds;
}

const outOfBounds = 'OutOfBounds';

function bounds(input: PlanInput): readonly OutOfBounds[] {
  const plan = planSize({ ...input, requested: nothing, fit: 'BestEffort' });
  return plan.kind === 'does-not-fit' ? [] : plan.outside;
}

/** Goes as far as it fits; what is missing is what a resize does later. It starts small where new pods may preempt. */
function sizeNewPod(look: Look, pod: BalloonPod): Act {
  if (!pod.gated && !pod.unschedulable) return withoutBalloon(look);
  const smallest = look.policy.limits.minBalloon;
  const input = planInput({ ...look, size: externalAsItWas(look.size) }, { ...pod, allocated: smallest });
  const known = typeof input === 'string' ? inputFor(look, smallest, fullSize) : input;
  const plan = planSize({ ...known, fit: 'BestEffort' });
  const to = plan.kind === 'resize' ? plan.to : smallest;
  if (!pod.gated && sameAmounts(to, pod.desired)) return withoutBalloon(look);
  const hidesMuch = !sameAmounts(to, smallest);
  return { kind: 'size-new-pod', to: mayPreemptWhenNew(pod.priority) ? smallest : to, hidesMuch };
}

/** Where others say how large the balloon is, a new pod is as large as the one before. */
function externalAsItWas(size: NodeSize): NodeSize {
  const before = size.status?.balloon?.allocated;
  if (size.spec.mode !== 'External' || !before) return size;
  return { ...size, spec: { mode: 'Balloon', balloon: before } };
}

/** Memory is stuck, and another amount of it is wanted. */
function lacksMemory(look: Look, pod: BalloonPod): boolean {
  const whole = look.memoryStuck ? wholeInput(look, pod) : '';
  if (typeof whole === 'string') return false;
  const plan = planSize({ ...whole, fit: 'BestEffort' });
  return plan.kind === 'resize' && plan.to.memory !== pod.allocated.memory;
}

function withoutMemory(look: Look): Act {
  if (!isAnswered(look.size)) return { kind: 'answer', ending: memoryMaySwap, ...waits(memoryMaySwap.message) };
  const degradation = degradationOf(memoryMaySwap);
  return atRest(look, { ...waits(memoryMaySwap.message), degradation });
}

function withoutBalloon(look: Look): Act {
  const message = 'no balloon pod runs on the node, so all of it is there for pods';
  return atRest(look, { ...waits(message), degradation: { reason: whyMissing(look.pod), message } });
}

function whyMissing(pod: BalloonPod | undefined): Degradation['reason'] {
  if (pod?.disruption === undefined) return 'BalloonMissing';
  return pod.disruption === 'EvictionByEvictionAPI' ? 'BalloonEvicted' : 'BalloonPreempted';
}

function takeBack(reason: string, message: string): Act {
  return { kind: 'take-back', ending: { result: 'RolledBack', reason, message } };
}

function refuse(look: Look, message: string): Act {
  if (isAnswered(look.size)) return atRest(look, waits(message));
  return { kind: 'answer', ending: { result: 'Rejected', reason: outOfBounds, message }, ...waits(message) };
}

function doesNotFit(look: Look, message: string): Act {
  if (isAnswered(look.size)) return atRest(look, waits(message));
  return { kind: 'answer', ending: { result: 'DoesNotFit', reason: 'PodsUseIt', message }, ...waits(message) };
}

/** A balloon that is new has been given its size before it took its node: there was nothing left to resize. */
function answerAtSize({ size, policy }: Look, pod: BalloonPod): Act {
  const from = balloonBefore(size, policy.limits.minBalloon);
  return { kind: 'answer', from, ending: sameAmounts(from, pod.allocated) ? nothingToDo : createdAtSize };
}

/** The same where pods left it less than was asked for, and that is enough; undefined when it is not so. */
function camePartly(look: Look, pod: BalloonPod): Act | undefined {
  const { size, policy } = look;
  const from = balloonBefore(size, policy.limits.minBalloon);
  if (isAnswered(size) || size.spec.fit !== 'BestEffort' || sameAmounts(from, pod.allocated)) return undefined;
  return { kind: 'answer', from, ending: partlyDone };
}

/** Why a plan has to wait; a balloon that gives something back waits for little. */
function whyNotNow(look: Look, pod: BalloonPod, plan: Resize): Act | undefined {
  const { node, size, heldMs, actuator, policy } = look;
  if (minorOf(node.kubeletVersion) < firstMinor) {
    const message = `kubelet ${node.kubeletVersion} cannot resize pods in place; 1.${firstMinor} and later can`;
    return atRest(look, { ...waits(message), degradation: { reason: 'KubeletTooOld', message } });
  }
  if (actuator === 'missing') {
    const message = `no actuator ${policy.actuator} is in the configuration of the controller`;
    return atRest(look, { ...waits(message), degradation: { reason: 'ActuatorUnknown', message } });
  }
  if (heldMs > 0) return held(look, size, heldMs);
  if (plan.direction === 'Up') return undefined;
  if (!node.ready) return atRest(look, waits('the node is not ready'));
  if (node.leaving) return atRest(look, waits('the node is cordoned or about to go'));
  if (look.awaited) return doesNotFit(look, 'a pod on the node waits to grow; the space is for it');
  const unsafe = whyUnsafe(pod.priority, node);
  if (unsafe === undefined) return undefined;
  return atRest(look, { ...waits(unsafe), degradation: { reason: 'PriorityUnsafe', message: unsafe } });
}

function held(look: Look, { status }: NodeSize, heldMs: number): Act {
  const last = status?.lastResize;
  const degradation = last && degradationOf(last);
  return atRest(look, { ...waits(last?.message ?? 'it failed'), degradation, againInMs: heldMs });
}

/** What somebody else did to the balloon is told for as long as it would keep a resize from being tried again. */
function revertedLately({ size, heldMs }: Look): Pick<Rest, 'degradation' | 'againInMs'> {
  const { lastResize } = size.status ?? {};
  const isToTell = heldMs > 0 && lastResize?.reason === externalResize;
  return isToTell ? { degradation: degradationOf(lastResize), againInMs: heldMs } : {};
}

/** The first release whose kubelets resize pods in place unless told otherwise (KEP-1287). */
const firstMinor = 33;

function minorOf(version: string): number {
  return Number(/^v?1\.(\d+)/.exec(version)?.[1] ?? firstMinor);
}

function needsFence({ size, actuator }: Look, input: PlanInput, plan: Resize, { fence }: PolicySettings): boolean {
  if (plan.direction === 'Up') return false;
  const mode = size.spec.fence ?? fence.mode;
  if (mode !== 'Auto') return mode === 'Always';
  // The node gained hardware or lost its balloon, and the pods that wait for room are about to be placed there.
  if (hasReachedSpec(size)) return true;
  return actuator !== 'none' || leavesLittleRoom(input, plan.to, fence.headroomPercent);
}

/** Nothing to do. What is wrong with the node itself is said whatever else is. */
function atRest(look: Look, rest: Rest): Act {
  return { kind: 'rest', ...rest, degradation: rest.degradation ?? overcommitted(look) ?? contested(look) };
}

function overcommitted({ node, requested }: Look): Degradation | undefined {
  if (within(requested, node.allocatable)) return undefined;
  const over = minus(requested, node.allocatable);
  const short = resources.filter((resource) => over[resource] > 0n).join(' and ');
  return { reason: 'CapacityShrunk', message: `pods ask for more ${short} than the node has any more` };
}

function contested({ policy, rival }: Look): Degradation | undefined {
  if (rival === undefined) return undefined;
  const message = `policies ${policy.name} and ${rival} select the node with the same weight; the first by name was taken`;
  return { reason: 'PolicyConflict', message };
}

function waits(message: string): { readonly notReady: NotReady } {
  return { notReady: { reason: 'Waiting', message } };
}

const paused: NotReady = { reason: 'Paused', message: 'spec.paused is set' };
const createdAtSize: Ending = {
  result: 'Succeeded',
  reason: 'AtSize',
  message: 'the balloon was created with that size',
};
const nothingToDo: Ending = { result: 'NoChange', reason: 'AtSize', message: 'the node had that size already' };

/** Whether somebody resized the pod since we last wrote down how large it is. */
export function isForeign({ status }: NodeSize, pod: BalloonPod): boolean {
  const known = status?.balloon?.desired;
  return status?.podRef?.uid === pod.uid && known !== undefined && !sameAmounts(parseAmounts(known), pod.desired);
}
