import { sameJson } from '@slipway/kube';
import type { Node } from '@slipway/kube-objects/kinds/api/nodes';
import type { Demand } from '../demand/demand.js';
import type { NamespaceLabels, PodTerm } from '../demand/pod-term.js';
import { type Check, type ClusterChange, type Filter, permanent, removable } from './filter.js';
import { PlaceCounts } from './place-counts.js';

/** Pods that must be near others, or far from them; and those that must be far from this one. */
export const interPodAffinity: Filter = {
  name: 'InterPodAffinity',
  prepare(demand, cluster) {
    const counts: Counts = { wanted: new PlaceCounts(), shunned: new PlaceCounts(), shunning: new PlaceCounts() };
    const hasRules = demand.near.required.length + demand.far.required.length > 0;
    for (const { node, pods, sociable } of hasRules ? cluster.nodes : cluster.sociable) {
      for (const other of hasRules ? pods : sociable) count(counts, demand, other, node, 1, cluster.namespaceLabels);
    }
    if (!hasRules && counts.shunning.isEmpty && cluster.nominated.size === 0) return undefined;
    return check(demand, counts, cluster.namespaceLabels);
  },
  helpedBy: (demand, change, { namespaceLabels }) => isHelped(demand, change, namespaceLabels),
};

interface Counts {
  /** Pods that the pod must be near to. */
  readonly wanted: PlaceCounts;
  /** Pods that it must be far from. */
  readonly shunned: PlaceCounts;
  /** Pods that must be far from it. */
  readonly shunning: PlaceCounts;
}

function count(counts: Counts, demand: Demand, other: Demand, node: Node, by: 1 | -1, labelsOf: NamespaceLabels): void {
  const { near, far, pod } = demand;
  if (isWanted(near.required, other, labelsOf)) {
    for (const { topologyKey } of near.required) counts.wanted.add(node, topologyKey, by);
  }
  for (const term of far.required) {
    if (term.selects(other.pod, labelsOf)) counts.shunned.add(node, term.topologyKey, by);
  }
  for (const term of other.far.required) {
    if (term.selects(pod, labelsOf)) counts.shunning.add(node, term.topologyKey, by);
  }
}

/** One pod must fulfil all terms: several that fulfil one each do not. */
function isWanted(terms: readonly PodTerm[], other: Demand, labelsOf: NamespaceLabels): boolean {
  return terms.length > 0 && terms.every((term) => term.selects(other.pod, labelsOf));
}

function check(demand: Demand, counts: Counts, labelsOf: NamespaceLabels): Check {
  const { near, far } = demand;
  // The first of a group that wants to be together may go anywhere, or none of them ever could.
  const isFirst = near.required.length > 0 && counts.wanted.isEmpty && isWanted(near.required, demand, labelsOf);
  return {
    on({ node }) {
      const isNear = near.required.every(({ topologyKey }) =>
        isFirst ? node.metadata.labels?.[topologyKey] !== undefined : counts.wanted.at(node, topologyKey) > 0,
      );
      if (!isNear) return permanent("node(s) didn't match pod affinity rules");
      if (far.required.some(({ topologyKey }) => counts.shunned.at(node, topologyKey) > 0)) {
        return removable("node(s) didn't match pod anti-affinity rules");
      }
      if (counts.shunning.touches(node)) return removable("node(s) didn't satisfy existing pods anti-affinity rules");
      return undefined;
    },
    after(other, node, by) {
      const { wanted, shunned, shunning } = counts;
      const changed = { wanted: wanted.copy(), shunned: shunned.copy(), shunning: shunning.copy() };
      count(changed, demand, other, node, by, labelsOf);
      return check(demand, changed, labelsOf);
    },
  };
}

function isHelped(demand: Demand, change: ClusterChange, labelsOf: NamespaceLabels): boolean {
  switch (change.kind) {
    case 'node': {
      const { before, after } = change;
      return !before || !sameJson(before.node.metadata.labels, after.node.metadata.labels);
    }
    case 'namespace':
      return true;
    case 'pod': {
      const { before, after } = change;
      if (after && isWanted(demand.near.required, after, labelsOf)) return true;
      return before !== undefined && keepsApart(demand, before, labelsOf);
    }
    default:
      return false;
  }
}

/** Whether one of two pods must be far from the other. */
function keepsApart(a: Demand, b: Demand, labelsOf: NamespaceLabels): boolean {
  const shuns = (one: Demand, other: Demand) => one.far.required.some((term) => term.selects(other.pod, labelsOf));
  return shuns(a, b) || shuns(b, a);
}
