import type { Node } from '@slipway/kube-objects/kinds/api/nodes';
import { type Demand, hasCompany, type WeightedTerm } from '../demand/demand.js';
import type { PodTerm } from '../demand/pod-term.js';
import { PlaceCounts } from '../filters/place-counts.js';
import type { ClusterView } from '../view/cluster-view.js';
import { most, type Score } from './score.js';

/** What it counts that a pod there requires this one to be near. */
const requiredWeight = 1;

/** Nodes near the pods that the pod prefers, far from those that it does not; and the same the other way round. */
export const interPodScore: Score = {
  weight: 2,
  rate(demand, feasible, cluster) {
    const topologyKeys = new Set<string>();
    const counts = new PlaceCounts();
    const prefers = demand.near.preferred.length + demand.far.preferred.length > 0;
    for (const { node, pods, sociable } of prefers ? cluster.nodes : cluster.sociable) {
      for (const other of prefers ? pods : sociable) {
        for (const [topologyKey, weight] of ratings(demand, other, cluster)) {
          topologyKeys.add(topologyKey);
          counts.add(node, topologyKey, weight);
        }
      }
    }
    if (topologyKeys.size === 0) return undefined;
    const sum = (node: Node) => [...topologyKeys].reduce((total, key) => total + counts.at(node, key), 0);
    return betweenExtremes(feasible.map(({ node }) => sum(node)));
  },
};

function ratings(
  demand: Demand,
  other: Demand,
  { namespaceLabels }: ClusterView,
): readonly (readonly [string, number])[] {
  const found: (readonly [string, number])[] = [];
  const rate = (terms: readonly (PodTerm & Partial<WeightedTerm>)[], target: Demand, sign: 1 | -1) => {
    for (const term of terms) {
      if (term.selects(target.pod, namespaceLabels))
        found.push([term.topologyKey, sign * (term.weight ?? requiredWeight)]);
    }
  };
  rate(demand.near.preferred, other, 1);
  rate(demand.far.preferred, other, -1);
  if (!hasCompany(other)) return found;
  rate(other.near.required, demand, 1);
  rate(other.near.preferred, demand, 1);
  rate(other.far.preferred, demand, -1);
  return found;
}

function betweenExtremes(sums: readonly number[]): readonly number[] {
  const [least, highest] = [Math.min(...sums), Math.max(...sums)];
  return sums.map((sum) => (highest === least ? 0 : Math.floor((most * (sum - least)) / (highest - least))));
}
