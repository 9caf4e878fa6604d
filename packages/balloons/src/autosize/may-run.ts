import { addQuantity, compareQuantity, type KubeObject, resourceAmounts, zeroQuantity } from '@slipway/kube';
import type { NodeView } from '../nodes/node-view.js';
import { type Neighbour, neighbourOf } from '../pods/neighbour.js';
import { neighboursAllow } from './neighbour-rules.js';
import type { Neighbourhood } from './neighbourhood.js';
import { matchesTerms, type NodeSelectorTerm, selectsNode, toleratesNode } from './node-rules.js';

/** A pod without a node, and which nodes its bound volumes can be used on: a term of each list has to match. */
export interface PendingPod {
  readonly pod: KubeObject;
  readonly volumes: readonly (readonly NodeSelectorTerm[])[];
}

/**
 * Whether a pod would run on a node that had enough cpu and memory, by the rules of the scheduler's filters. Where it
 * cannot be known here, as with claims of devices, the answer is no: to grow a node for nothing is worse than to wait.
 */
export function mayRun({ pod, volumes }: PendingPod, node: NodeView, all: Neighbourhood): boolean {
  if (!node.ready || pod.spec?.resourceClaims?.length > 0) return false;
  if (!selectsNode(pod, node) || !toleratesNode(pod, node)) return false;
  if (!volumes.every((terms) => matchesTerms(terms, node))) return false;
  const here = all.on(node.name);
  const asks = neighbourOf(pod, node.name);
  return hasPorts(asks, here) && hasOthers(asks, here, node) && neighboursAllow(pod, node, all);
}

function hasPorts({ hostPorts }: Neighbour, here: readonly Neighbour[]): boolean {
  return !here.some((each) => each.hostPorts.some((port) => hostPorts.includes(port)));
}

/** One more pod, and what it requests beside cpu and memory. */
function hasOthers({ others }: Neighbour, here: readonly Neighbour[], { allocatableOf }: NodeView): boolean {
  const allocatable = resourceAmounts(allocatableOf);
  const { pods } = allocatable;
  if (pods && compareQuantity({ ...pods, nano: BigInt(here.length + 1) * 1_000_000_000n }, pods) > 0) return false;
  return Object.entries(others).every(([name, asked]) => {
    const taken = here.reduce((sum, each) => addQuantity(sum, each.others[name] ?? zeroQuantity), asked);
    return asked.nano === 0n || compareQuantity(taken, allocatable[name] ?? zeroQuantity) <= 0;
  });
}
