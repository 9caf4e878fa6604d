import { addQuantity, compareQuantity, type KubeObject, resourceAmounts, zeroQuantity } from '@slipway/kube';
import type { NodeView } from '../nodes/node-view.js';
import { type Neighbour, neighbourOf } from '../pods/neighbour.js';
import { neighboursAllow } from './neighbour-rules.js';
import type { Neighbourhood } from './neighbourhood.js';
import { matchesTerms, type NodeSelectorTerm, selectsNode, toleratesNode } from './node-rules.js';

/** A pod without a node, and the node selector terms of its bound volumes, one list per volume. */
export interface PendingPod {
  readonly pod: KubeObject;
  readonly volumes: readonly (readonly NodeSelectorTerm[])[];
}

/**
 * Whether a pod may run on a node with enough cpu and memory, by the rules of the scheduler's filters. False where that
 * is not known here, as with device claims: growing a node in vain is worse than waiting.
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

/** Whether there is room for one more pod and its requests other than cpu and memory. */
function hasOthers({ others }: Neighbour, here: readonly Neighbour[], { allocatableOf }: NodeView): boolean {
  const allocatable = resourceAmounts(allocatableOf);
  const { pods } = allocatable;
  if (pods && compareQuantity({ ...pods, nano: BigInt(here.length + 1) * 1_000_000_000n }, pods) > 0) return false;
  return Object.entries(others).every(([name, asked]) => {
    const taken = here.reduce((sum, each) => addQuantity(sum, each.others[name] ?? zeroQuantity), asked);
    return asked.nano === 0n || compareQuantity(taken, allocatable[name] ?? zeroQuantity) <= 0;
  });
}
