import type { KubeObject } from '@slipway/kube';
import type { NodeView } from '../nodes/node-view.js';
import { type Amounts, sameAmounts } from '../planner/amounts.js';
import type { SizeLimits } from '../planner/plan-size.js';
import type { BalloonPod } from '../pods/balloon-pod.js';
import { criticalPriority } from '../priority/priority-modes.js';
import { leastMilliCpu } from './canary-plan.js';

/** A node on which a canary is to be tried. */
export interface CanaryGround {
  readonly node: NodeView;
  readonly balloon: BalloonPod | undefined;
  readonly limits: Pick<SizeLimits, 'minBalloon'>;
  readonly free: Amounts;
  /** All pods on the node but the balloon. */
  readonly pods: readonly KubeObject[];
}

export interface CanaryObstacle {
  readonly message: string;
  /** A command to copy. */
  readonly fix: string;
}

/**
 * Why no canary may be tried on a node; undefined when one may. Where a class is unsafe, its
 * kubelet picks whom to end by QoS and distance and not by what we mean, so that no pod
 * may be there that it could pick.
 */
export function canaryObstacle({ node, balloon, limits, free, pods }: CanaryGround): CanaryObstacle | undefined {
  if (!node.ready) return { message: 'the node is not ready', fix: `kubectl describe node ${node.name}` };
  if (!balloon?.running) return { message: 'no balloon runs on the node', fix: `slipway node explain ${node.name}` };
  const workload = pods.find(couldBeEnded);
  if (workload) {
    const { namespace, name } = workload.metadata;
    const message = `pod ${namespace}/${name} runs there, and a canary must not put it at risk`;
    return { message, fix: `kubectl drain ${node.name} --ignore-daemonsets, or take a node without workloads` };
  }
  if (!sameAmounts(balloon.allocated, limits.minBalloon)) {
    const message = 'its balloon hides something, which a canary must not put at risk';
    return { message, fix: `slipway node size ${node.name} --full --wait` };
  }
  if (free.cpu >= leastMilliCpu) return undefined;
  const message = `less than ${leastMilliCpu}m cpu is free on it`;
  return { message, fix: 'take a node with more room' };
}

function couldBeEnded({ spec, status }: KubeObject): boolean {
  const isOver = status?.phase === 'Succeeded' || status?.phase === 'Failed';
  return !isOver && (spec?.priority ?? 0) < criticalPriority;
}
