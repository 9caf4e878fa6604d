import { keys } from '../api/group.js';
import { hasTaint } from '../nodes/node-view.js';
import { type Amounts, parseAmounts, sameAmounts } from '../planner/amounts.js';
import { directionOf } from '../planner/plan-size.js';
import type { BalloonPod } from '../pods/balloon-pod.js';
import { type Beginning, planned, syncing, takingBack } from '../ticket/begin-work.js';
import type { ResizeWork } from '../ticket/resize-work.js';
import { waiting, withConditions } from './conditions.js';
import { type Action, isForeign } from './decide-action.js';
import type { NodeMemory } from './node-memory.js';
import type { Observation } from './observation.js';
import { isOverSize } from './plan-input.js';
import { longQuietMs, observedStatus, withObservedSpec } from './size-status.js';
import type { Step } from './step.js';
import { finished, withEnding, withTicket } from './ticket-status.js';

/** A node that waits for a slot is reconciled when one is free; in case that is missed, again after this long. */
const slotAgainMs = 10_000;

/** The facts beside the observation that a step is made of. */
export interface StepMoment {
  readonly memory: NodeMemory;
  readonly beginning: Beginning;
  /** Since 1970; `beginning.nowMs` is monotonic. */
  readonly wallMs: number;
  /** Reserves a slot for a resize; false when the limits of the policy are reached. */
  readonly takeSlot: () => boolean;
}

/** Returns what an action does first. Only `takeSlot` has an effect of its own. */
export function stepFor(action: Action, observation: Observation, moment: StepMoment): Step {
  const { pod } = observation;
  switch (action.kind) {
    case 'report':
      return reportStep(observation, action, moment);
    case 'conclude':
      return concludeStep(observation, action, moment);
    case 'remove-finalizer':
      return { next: { kind: 'remove-finalizer' } };
    case 'size-new-pod':
      return sizeNewPodStep(observation, action.hidesMuch, moment);
    case 'sync-hardware':
      return pod ? advance(syncing(pod, moment.beginning)) : {};
    case 'roll-back':
      return pod ? rollBackStep(observation, pod, action, moment) : {};
    case 'resize':
      return pod ? resizeStep(observation, pod, action, moment) : {};
  }
}

/** Stores the status; mostly nothing has changed and nothing is written. */
export function reportStep(
  observation: Observation,
  { notReady, degradation, againInMs }: Omit<Extract<Action, { kind: 'report' }>, 'kind'>,
  { wallMs }: Pick<StepMoment, 'wallMs'>,
): Step {
  const { size, policy, pod, node } = observation;
  const observed = observedStatus(observation, wallMs);
  const isDone = size.spec.mode === 'External' && policy.enabled;
  const status = isDone ? withObservedSpec(observed, size) : observed;
  const isActual = !pod || sameAmounts(pod.actual, pod.allocated) || status.balloon?.actual !== undefined;
  const isComplete = isActual && sameAmounts(parseAmounts(status.requested), observation.requested);
  const delays = [againInMs, isComplete ? undefined : longQuietMs - observation.quietMs];
  const known = delays.filter((ms) => ms !== undefined);
  return {
    status: withConditions(status, wallMs, notReady, degradation),
    ...(isOverSize(observation) && !hasTaint(node, keys.unsized) && { close: { kind: 'unsized' } }),
    ...(known.length > 0 && { requeueAfterMs: Math.min(...known) }),
  };
}

/** Stores the result of a spec for which nothing was done. */
function concludeStep(
  observation: Observation,
  { ending, from, notReady }: Extract<Action, { kind: 'conclude' }>,
  { beginning, wallMs }: StepMoment,
): Step {
  const to: Amounts = observation.pod?.allocated ?? observation.policy.limits.minBalloon;
  const direction = from && !sameAmounts(from, to) ? directionOf(from, to) : 'Down';
  const ended = finished({ id: beginning.id, direction, from: from ?? to, to }, ending, wallMs, 0);
  const status = withEnding(observedStatus(observation, wallMs), ended, wallMs);
  return { status: withConditions(withObservedSpec(status, observation.size), wallMs, notReady, undefined) };
}

/** The node is closed until all schedulers know, so that no pod is placed where the balloon is about to be. */
function sizeNewPodStep(observation: Observation, hidesMuch: boolean, moment: StepMoment): Step {
  const { memory, beginning } = moment;
  const isClosed = hasTaint(observation.node, keys.unsized);
  const closedSinceMs = (isClosed ? memory.closedSinceMs : undefined) ?? beginning.nowMs;
  const settlesInMs = hidesMuch ? closedSinceMs + observation.policy.fence.settleMs - beginning.nowMs : 0;
  if (!hidesMuch) return { next: { kind: 'size-new-pod' } };
  const closing: Step = { remember: { closedSinceMs }, ...(!isClosed && { close: { kind: 'unsized' } }) };
  if (settlesInMs <= 0) return { ...closing, next: { kind: 'size-new-pod' } };
  return { ...reportStep(observation, { ...onItsWay, againInMs: settlesInMs }, moment), ...closing };
}

/** Why a node whose new balloon pod has its size is not ready yet. */
export const onItsWay = { notReady: waiting('the balloon pod is on its way') };

function rollBackStep(
  { size }: Observation,
  pod: BalloonPod,
  { ending }: Extract<Action, { kind: 'roll-back' }>,
  { beginning }: StepMoment,
): Step {
  const isReported = size.spec.mode !== 'External';
  return {
    ...advance(takingBack(pod, ending, beginning)),
    ...(isReported && { foreignResize: foreignMessage(pod, size.metadata.name) }),
  };
}

function resizeStep(
  observation: Observation,
  pod: BalloonPod,
  { plan, fenced, cpuOnly }: Extract<Action, { kind: 'resize' }>,
  { beginning, wallMs, takeSlot }: StepMoment,
): Step {
  if (!takeSlot()) return { requeueAfterMs: slotAgainMs };
  const { size, policy } = observation;
  const work = { ...planned(plan, pod, { fenced, actuated: observation.actuator === 'known' }, beginning), cpuOnly };
  const untilMs = wallMs + policy.fence.maxMs;
  return {
    ...(isForeign(size, pod) && { foreignResize: foreignMessage(pod, size.metadata.name) }),
    status: withTicket(observedStatus(observation, wallMs), work, wallMs),
    ...advance(work),
    ...(fenced && { close: { kind: 'fence', value: work.id, untilMs } }),
  };
}

function advance(work: ResizeWork): Step {
  return { remember: { work }, next: { kind: 'advance', work } };
}

function foreignMessage({ namespace, name }: BalloonPod, node = ''): string {
  return `another client resized pod ${namespace}/${name}, whose size NodeSize ${node} determines`;
}
