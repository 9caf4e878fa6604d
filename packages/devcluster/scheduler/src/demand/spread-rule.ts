import type { Node } from '@slipway/kube-objects/kinds/api/nodes';
import type { Pod, TopologySpreadConstraint } from '@slipway/kube-objects/kinds/api/pods';
import { matchesNode } from '@slipway/kube-objects/rules/node-affinity';
import { untolerated } from '@slipway/kube-objects/rules/taints';
import { podSelector, sameLabels } from './pod-term.js';

/** A constraint on how evenly pods spread over the places that `topologyKey` names. */
export interface SpreadRule {
  readonly topologyKey: string;
  readonly maxSkew: number;
  readonly minDomains: number;
  /** Whether a pod of the same namespace is one of those to be spread. */
  readonly selects: (pod: Pod) => boolean;
  /** Whether a node counts as part of its place. */
  readonly counts: (node: Node) => boolean;
  /** Names the pods and nodes that are counted: rules of two pods count alike when this is the same. */
  readonly counted: () => string;
}

/** What a rule selects by something else than its own labels. */
export interface SelectedOtherwise {
  readonly selects: SpreadRule['selects'];
  /** What it selects by, as JSON can say it. */
  readonly by: unknown;
}

/** Reads a constraint of `owner`. @throws SelectorError */
export function spreadRule(
  constraint: TopologySpreadConstraint,
  owner: Pod,
  otherwise?: SelectedOtherwise,
): SpreadRule {
  const { topologyKey, maxSkew, minDomains = 1, labelSelector, matchLabelKeys = [] } = constraint;
  const honoursAffinity = constraint.nodeAffinityPolicy !== 'Ignore';
  const honoursTaints = constraint.nodeTaintsPolicy === 'Honor';
  const { tolerations = [], nodeSelector, affinity } = owner.spec;
  const same = sameLabels(owner, matchLabelKeys, 'In');
  return {
    topologyKey,
    maxSkew,
    minDomains,
    selects: otherwise?.selects ?? podSelector(labelSelector, same),
    counts: (node) =>
      (!honoursAffinity || matchesNode(owner, node)) &&
      (!honoursTaints || !untolerated(node.spec?.taints ?? [], tolerations, ['NoSchedule', 'NoExecute'])),
    counted: () => {
      const pods = otherwise ? { by: otherwise.by } : { labelSelector, same };
      const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
      const nodes = [honoursAffinity && [nodeSelector, required], honoursTaints && tolerations];
      return JSON.stringify([topologyKey, owner.metadata.namespace, pods, nodes]);
    },
  };
}

/** Whether a node has all labels that rules name places by. */
export function hasLabels({ metadata }: Node, rules: readonly SpreadRule[]): boolean {
  return rules.every(({ topologyKey }) => metadata.labels?.[topologyKey] !== undefined);
}
