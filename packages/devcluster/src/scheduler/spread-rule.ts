import type { Node } from '../controllers/api/nodes.js';
import type { Pod, TopologySpreadConstraint } from '../controllers/api/pods.js';
import { matchesNode } from './node-affinity.js';
import type { NodeState } from './node-state.js';
import { podSelector, sameLabels } from './pod-term.js';
import { untolerated } from './taints.js';

/** A constraint on how evenly pods spread over the places that `topologyKey` names. */
export interface SpreadRule {
  readonly topologyKey: string;
  readonly maxSkew: number;
  readonly minDomains: number;
  /** Whether a pod of the same namespace is one of those to be spread. */
  readonly selects: (pod: Pod) => boolean;
  /** Whether a node counts as part of its place. */
  readonly counts: (node: Node) => boolean;
  /** How many pods it selects on nodes that were looked at before: for a rule that many pods have alike. */
  readonly counted?: WeakMap<NodeState, number>;
}

/** Reads a constraint of `owner`. @throws SelectorError */
export function spreadRule(constraint: TopologySpreadConstraint, owner: Pod): SpreadRule {
  const { topologyKey, maxSkew, minDomains = 1, labelSelector, matchLabelKeys = [] } = constraint;
  const honoursAffinity = constraint.nodeAffinityPolicy !== 'Ignore';
  const honoursTaints = constraint.nodeTaintsPolicy === 'Honor';
  const { tolerations = [] } = owner.spec;
  return {
    topologyKey,
    maxSkew,
    minDomains,
    selects: podSelector(labelSelector, sameLabels(owner, matchLabelKeys, 'In')),
    counts: (node) =>
      (!honoursAffinity || matchesNode(owner, node)) &&
      (!honoursTaints || !untolerated(node.spec?.taints ?? [], tolerations, ['NoSchedule', 'NoExecute'])),
  };
}
