import { effectiveRequests, type KubeObject } from '@slipway/kube';
import type { BalloonPolicy } from '../api/balloon-policy.js';
import type { NodeSize } from '../api/node-size.js';
import { type Amounts, amountsOf, nothing, plus } from '../planner/amounts.js';
import { type BalloonPod, isBalloonPod, readBalloonPod } from '../pods/balloon-pod.js';
import { choosePolicy } from './choose-policy.js';
import { type NodeNumbers, nodeNumbers } from './node-numbers.js';
import type { NodeView } from './node-view.js';

/** Where balloon pods live. */
export const balloonNamespace = 'kube-system';

/** One node as it is now, with everything that says how large it is. */
export interface ObservedNode {
  readonly node: NodeView;
  /** What was asked for; undefined where nothing manages the node. */
  readonly size: NodeSize | undefined;
  readonly policy: BalloonPolicy | undefined;
  readonly balloon: BalloonPod | undefined;
  readonly numbers: NodeNumbers;
  /** The pods on the node, the balloon apart. */
  readonly pods: readonly KubeObject[];
}

/** Puts together what is known of a node. */
export function observedNode(
  node: NodeView,
  size: NodeSize | undefined,
  policies: readonly BalloonPolicy[],
  all: readonly KubeObject[],
): ObservedNode {
  const balloonPod = all.find((pod) => isBalloonPod(pod, balloonNamespace) && pod.status?.phase !== 'Failed');
  const balloon = balloonPod && readBalloonPod(balloonPod);
  const pods = all.filter((pod) => pod !== balloonPod);
  const requested = pods.reduce((sum, pod) => plus(sum, requestedBy(pod)), nothing);
  const policy = choosePolicy(node, policies);
  return { node, size, policy, balloon, pods, numbers: nodeNumbers(node, balloon, requested) };
}

/** Returns the amounts that a pod takes of its node. */
export function requestedBy(pod: KubeObject): Amounts {
  return amountsOf(effectiveRequests(pod));
}
