import { type Condition, findCondition, isConditionTrue, setCondition, timestamp } from '@slipway/kube';
import type { Actuator, ActuatorAnswer } from '../actuators/actuator.js';
import type { FinishedResize, NodeSize, NodeSizeStatus, Ticket, TicketPhase } from '../api/node-size.js';
import type { NodeView } from '../nodes/node-view.js';
import {
  type Amounts,
  type AmountsText,
  formatAmounts,
  formatCpu,
  formatMemory,
  minus,
  parseAmounts,
  plus,
  resources,
  sameAmounts,
} from '../planner/amounts.js';
import type { BalloonPod } from '../pods/balloon-pod.js';
import type { PolicySettings } from '../settings/policy-settings.js';
import type { Ending, ResizeWork } from '../ticket/resize-work.js';

/** What a status is written from. */
export interface StatusFacts {
  readonly size: NodeSize;
  readonly node: NodeView;
  readonly policy: PolicySettings;
  readonly pod: BalloonPod | undefined;
  readonly requested: Amounts;
  /** What the autosizer would make of the node; undefined where it has nothing to say. */
  readonly recommended: Amounts | undefined;
  /** How long nothing was said about the node, in milliseconds. */
  readonly quietMs: number;
}

/** Why a node has not the size it should, one word and a sentence; undefined when it has. */
export interface NotReady {
  readonly reason: 'Waiting' | 'Paused' | 'Disabled';
  readonly message: string;
}

/** A reason to look at a node, in one word of a closed list, and a sentence. */
export interface Degradation {
  readonly reason:
    | 'BalloonMissing'
    | 'CapacityShrunk'
    | 'BalloonPreempted'
    | 'BalloonEvicted'
    | 'QuotaExceeded'
    | 'LimitRange'
    | 'KubeletTooOld'
    | 'PriorityUnsafe'
    | 'ActuatorUnknown'
    | 'SwapBlocksMemory'
    | 'ExternalResizeReverted'
    | 'PolicyConflict';
  readonly message: string;
}

/** The numbers of a node as they are now. */
export function observedStatus(
  { size, node, policy, pod: any, requested, recommended, quietMs }: StatusFacts,
  nowMs: number,
): NodeSizeStatus {
  const pod = any?.bound ? any : undefined;
  const { recommended: recommendedBefore, ...before } = size.status ?? {};
  const balloon = pod?.allocated ?? policy.limits.minBalloon;
  const now = minus(node.allocatable, balloon);
  const isNews = (known: AmountsText | undefined, amounts: Amounts) =>
    quietMs >= longQuietMs || worthTelling(known, amounts, node.allocatable);
  const shown = isNews(before.requested, requested) ? requested : parseAmounts(before.requested);
  return {
    ...before,
    nodeUID: node.uid,
    policy: policy.name,
    kubeletVersion: node.kubeletVersion,
    ...(pod && { podRef: { namespace: pod.namespace, name: pod.name, uid: pod.uid } }),
    hardware: formatAmounts(node.hardware),
    allocatable: formatAmounts(node.allocatable),
    size: formatAmounts(now),
    requested: formatAmounts(shown),
    free: formatAmounts(minus(now, shown)),
    floor: formatAmounts(plus(shown, policy.limits.criticalReserve)),
    ...(recommended && {
      recommended: isNews(recommendedBefore, recommended) ? formatAmounts(recommended) : recommendedBefore,
    }),
    ...(pod && {
      balloon: {
        desired: formatAmounts(pod.desired),
        allocated: formatAmounts(pod.allocated),
        ...(lagsBehind(pod) &&
          (quietMs >= longQuietMs || before.balloon?.actual) && { actual: formatAmounts(pod.actual) }),
      },
    }),
    conditions: withCondition(before.conditions, nowMs, 'BalloonPresent', pod !== undefined, {
      reason: pod ? 'Running' : 'Missing',
      message: pod ? `pod ${pod.namespace}/${pod.name}` : 'no balloon pod is on the node',
    }),
  };
}

/** What is set aside is mostly carried out a moment later, and to tell of that would be a write for every resize. */
function lagsBehind({ actual, allocated }: BalloonPod): boolean {
  return !sameAmounts(actual, allocated);
}

/** A twentieth of the node is news; less is noise that would cost a write for every pod. */
const newsPart = 20n;
/** After so long the rest is told too. */
export const longQuietMs = 30_000;

function worthTelling(before: AmountsText | undefined, now: Amounts, allocatable: Amounts): boolean {
  if (!before) return true;
  const known = parseAmounts(before);
  return resources.some((resource) => {
    const change = now[resource] - known[resource];
    return (change < 0n ? -change : change) * newsPart >= allocatable[resource];
  });
}

/** The status with a ticket: written before anything is done. */
export function withTicket(status: NodeSizeStatus, work: ResizeWork, nowMs: number): NodeSizeStatus {
  const ticket: Ticket = {
    id: work.id,
    direction: work.direction,
    phase: phaseOf(work),
    from: formatAmounts(work.from),
    to: formatAmounts(work.to),
    podUID: work.podUID,
    startedAt: timestamp(nowMs),
    deadline: timestamp(nowMs + work.deadlineMs - work.startedMs),
    generation: work.generation,
    fenced: work.fenced,
  };
  const resizing = withCondition(status.conditions, nowMs, 'Resizing', true, {
    reason: work.direction,
    message: `the balloon goes from ${inWords(work.from)} to ${inWords(work.to)}`,
  });
  if (!work.fenced) return { ...status, resize: ticket, conditions: resizing };
  const conditions = withCondition(resizing, nowMs, 'Fenced', true, {
    reason: 'Resizing',
    message: 'new pods are kept away',
  });
  return { ...status, resize: ticket, conditions };
}

/** The status with the new target of a resize that stops earlier than it was planned to. */
export function withTarget(status: NodeSizeStatus, { to }: ResizeWork): NodeSizeStatus {
  return status.resize ? { ...status, resize: { ...status.resize, to: formatAmounts(to) } } : status;
}

function phaseOf({ phase }: ResizeWork): TicketPhase {
  if (phase.kind === 'growing') return 'GrowingHardware';
  if (phase.kind === 'shrinking') return 'ShrinkingHardware';
  return phase.kind === 'settling' ? 'Fencing' : 'Resizing';
}

/** The status without its ticket, and with how it ended. */
export function withEnding(status: NodeSizeStatus, ended: FinishedResize, nowMs: number): NodeSizeStatus {
  const { resize: _closed, ...rest } = status;
  const ending = withCondition(status.conditions, nowMs, 'Resizing', false, {
    reason: ended.result,
    message: ended.message,
  });
  const conditions = isConditionTrue(ending, 'Fenced')
    ? withCondition(ending, nowMs, 'Fenced', false, { reason: 'Resized', message: 'new pods may come' })
    : ending;
  return { ...rest, conditions, lastResize: ended, history: [ended, ...(status.history ?? [])].slice(0, 10) };
}

export function finished(
  work: Pick<ResizeWork, 'id' | 'direction' | 'from' | 'to'>,
  ending: Ending,
  nowMs: number,
  durationMs: number,
): FinishedResize {
  return {
    id: work.id,
    direction: work.direction,
    from: formatAmounts(work.from),
    to: formatAmounts(work.to),
    ...ending,
    message: ending.message.slice(0, 512),
    finishedAt: timestamp(nowMs),
    durationMs: Math.round(durationMs),
  };
}

/** That this spec was answered: callers wait for `observedRequestID` and `Resizing` to be false. */
export function answered(status: NodeSizeStatus, size: NodeSize): NodeSizeStatus {
  const { observedRequestID: _before, ...rest } = status;
  const { requestID } = size.spec;
  return {
    ...rest,
    observedGeneration: size.metadata.generation ?? 0,
    ...(requestID !== undefined && { observedRequestID: requestID }),
  };
}

/** Whether the node has the size it should, and whether somebody should look at it. */
export function judged(
  status: NodeSizeStatus,
  nowMs: number,
  notReady: NotReady | undefined,
  degradation: Degradation | undefined,
): NodeSizeStatus {
  const ready = withCondition(status.conditions, nowMs, 'Ready', notReady === undefined, {
    reason: notReady?.reason ?? 'AtSize',
    message: notReady?.message ?? 'the node has the size it should',
  });
  if (!degradation && !isConditionTrue(ready, 'Degraded')) return { ...status, conditions: ready };
  const conditions = withCondition(ready, nowMs, 'Degraded', degradation !== undefined, {
    reason: degradation?.reason ?? 'Healthy',
    message: degradation?.message ?? 'nothing is wrong',
  });
  return { ...status, conditions };
}

/** What the actuator said, and what it is doing. */
export function withActuator(
  status: NodeSizeStatus,
  name: Actuator['name'],
  work: ResizeWork,
  { state, granted, message }: ActuatorAnswer,
  nowMs: number,
): NodeSizeStatus {
  const moving = phaseOf(work) === 'GrowingHardware' ? 'Growing' : 'Shrinking';
  const phase = ({ Done: 'InSync', InProgress: moving, Failed: 'Error', Unknown: 'Unknown' } as const)[state];
  const actuator = {
    name,
    phase,
    operationID: work.id,
    ...(granted && { granted: grantedText(granted) }),
    ...(message && { message }),
  };
  const { resize } = status;
  const conditions = withCondition(status.conditions, nowMs, 'ActuatorInSync', state === 'Done', {
    reason: phase,
    message: message ?? (state === 'Done' ? 'the machine is as large as it should' : 'the machine is on its way'),
  });
  return { ...status, actuator, conditions, ...(resize && { resize: { ...resize, phase: phaseOf(work) } }) };
}

function grantedText({ cpu, memory }: Partial<Amounts>): AmountsText {
  return {
    ...(cpu !== undefined && { cpu: formatCpu(cpu) }),
    ...(memory !== undefined && { memory: formatMemory(memory) }),
  };
}

/** `3750m cpu and 15Gi memory` */
export function inWords(amounts: Amounts): string {
  const { cpu, memory } = formatAmounts(amounts);
  return `${cpu} cpu and ${memory} memory`;
}

function withCondition(
  conditions: readonly Condition[] | undefined,
  nowMs: number,
  type: string,
  holds: boolean,
  why: { readonly reason: string; readonly message: string },
): readonly Condition[] {
  const status = holds ? 'True' : 'False';
  const before = findCondition(conditions, type);
  const isSame = before?.status === status && before.reason === why.reason && before.message === why.message;
  return isSame ? (conditions ?? []) : setCondition(conditions, { type, status, ...why }, nowMs);
}
