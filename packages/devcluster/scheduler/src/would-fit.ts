import type { Node } from '@slipway/kube-objects/kinds/api/nodes';
import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import { nativeProfile } from '@slipway/kube-objects/rules/version-profile';
import { demandOf } from './demand/demand.js';
import { allFilters } from './filters/all-filters.js';
import { describeFindings } from './placement/describe-findings.js';
import { placePod } from './placement/place-pod.js';
import { allScores } from './scores/all-scores.js';
import { nodeState, withPod } from './view/node-state.js';
import { viewOf } from './view/view-of.js';

/** Objects as `kubectl get -o json` prints them. */
export interface FitQuestion {
  readonly nodes: readonly Node[];
  /** Pods that have a node; those of other nodes count for nothing. Default: none. */
  readonly running?: readonly Pod[];
  /** The pods to be placed, first come, first served. */
  readonly pods: readonly Pod[];
}

/** The node of a pod, or why it has none, in the words of Kubernetes' scheduler. */
export type Fit =
  | { readonly pod: string; readonly nodeName: string }
  | { readonly pod: string; readonly message: string };

/**
 * Says where pods would go, each with the room that those before it left. Requests, taints, affinity, spread and host
 * ports decide, as in Kubernetes' scheduler 1.37; nothing is preempted. Claims are unknown here: a pod that mounts
 * a volume or wants devices by one does not fit, and says so. Of several equally good nodes the first one is taken.
 *
 * @throws QuantityError when an amount cannot be read
 * @throws SelectorError when a label selector is invalid
 */
export function wouldFit({ nodes, running = [], pods }: FitQuestion): readonly Fit[] {
  const profile = nativeProfile('1.37');
  const filters = allFilters(profile);
  const choice = { scores: allScores(profile), random: () => 0, firstNode: 0 };
  const demands = running.map(demandOf);
  let states = nodes.map((node) =>
    nodeState(
      node,
      demands.filter(({ pod }) => pod.spec.nodeName === node.metadata.name),
    ),
  );
  return pods.map((pod): Fit => {
    const name = pod.metadata.name ?? '';
    const demand = demandOf(pod);
    const placement = placePod(demand, viewOf(states), filters, choice);
    if (placement.kind === 'nowhere') return { pod: name, message: describeFindings(placement.findings) };
    const { nodeName } = placement;
    states = states.map((state) => (state.name === nodeName ? withPod(state, demand) : state));
    return { pod: name, nodeName };
  });
}
