import type { NodeView } from '../nodes/node-view.js';
import { minus, resources, within } from '../planner/amounts.js';
import type { Resize } from '../planner/plan-size.js';
import type { BalloonPod } from '../pods/balloon-pod.js';
import { whyUnsafe } from '../priority/priority-modes.js';
import { type Degradation, type NotReady, waiting } from './conditions.js';
import type { Observation } from './observation.js';
import { degradationOf } from './refusals.js';

/** Why nothing is done about a node now, and when to try again. */
export interface Obstacle {
  readonly notReady: NotReady;
  readonly degradation?: Degradation | undefined;
  readonly againInMs?: number;
}

/** Why a planned resize has to wait. Few obstacles apply to a balloon that shrinks. */
export function obstacleTo(observation: Observation, plan: Resize): Obstacle | undefined {
  const { node, heldMs, actuator, policy } = observation;
  if (minorOf(node) < firstMinor) {
    const message = `kubelet ${node.kubeletVersion} cannot resize pods in place; 1.${firstMinor} and later can`;
    return { notReady: waiting(message), degradation: { reason: 'KubeletTooOld', message } };
  }
  if (actuator === 'missing') {
    const message = `no actuator ${policy.actuator} is in the configuration of the controller`;
    return { notReady: waiting(message), degradation: { reason: 'ActuatorUnknown', message } };
  }
  if (heldMs > 0) return held(observation);
  if (plan.direction === 'Up') return undefined;
  if (!node.ready) return { notReady: waiting('the node is not ready') };
  if (node.leaving) return { notReady: waiting('the node is cordoned or about to go') };
  return undefined;
}

/** A balloon that grows might make the kubelet or the scheduler preempt pods. */
export function unsafePriority({ node }: Observation, pod: BalloonPod): Obstacle | undefined {
  const message = whyUnsafe(pod.priority, node);
  return message === undefined
    ? undefined
    : { notReady: waiting(message), degradation: { reason: 'PriorityUnsafe', message } };
}

/** The last resize failed and is not repeated yet. */
export function held({ size, heldMs }: Observation): Obstacle {
  const last = size.status?.lastResize;
  return {
    notReady: waiting(last?.message ?? 'it failed'),
    degradation: last && degradationOf(last),
    againInMs: heldMs,
  };
}

/** Returns the defect of a node that is reported whether or not the node has its size. */
export function lastingDegradation(observation: Observation): Degradation | undefined {
  return overcommitted(observation) ?? contested(observation);
}

function overcommitted({ node, requested }: Observation): Degradation | undefined {
  if (within(requested, node.allocatable)) return undefined;
  const over = minus(requested, node.allocatable);
  const short = resources.filter((resource) => over[resource] > 0n).join(' and ');
  return { reason: 'CapacityShrunk', message: `pods request more ${short} than the node has` };
}

function contested({ policy, rival }: Observation): Degradation | undefined {
  if (rival === undefined) return undefined;
  const message = `policies ${policy.name} and ${rival} select the node with the same weight; the first by name was taken`;
  return { reason: 'PolicyConflict', message };
}

/** The first minor release whose kubelets resize pods in place by default (KEP-1287). */
const firstMinor = 33;

function minorOf({ kubeletVersion }: NodeView): number {
  return Number(/^v?1\.(\d+)/.exec(kubeletVersion)?.[1] ?? firstMinor);
}
