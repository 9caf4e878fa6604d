import { matchesSelector } from '@slipway/kube';
import type { BalloonPolicy } from '../api/balloon-policy.js';
import { keys } from '../api/group.js';
import { isEnabled } from '../settings/policy-settings.js';
import type { NodeView } from './node-view.js';

/**
 * Returns the policy that manages a node: of those that select it the one of the highest weight, then the first by name.
 * A policy that was disabled keeps its nodes until they are restored.
 */
export function choosePolicy(node: NodeView, policies: readonly BalloonPolicy[]): BalloonPolicy | undefined {
  const [best] = policies.filter((policy) => isEnabled(policy) && selects(policy, node)).sort(byWeight);
  if (best) return best;
  return policies.find(({ metadata }) => metadata.name === node.labels[keys.managed]);
}

/** Returns another policy of the same weight that selects the node, so that only the name decided. */
export function rivalPolicy(node: NodeView, policies: readonly BalloonPolicy[]): string | undefined {
  const [best, next] = policies.filter((policy) => isEnabled(policy) && selects(policy, node)).sort(byWeight);
  return best && next && (best.spec.weight ?? 0) === (next.spec.weight ?? 0) ? next.metadata.name : undefined;
}

/** Whether a policy selects a node. Balloons are Linux pods, so nodes of other systems never match. */
export function selects({ spec }: BalloonPolicy, { labels }: NodeView): boolean {
  return (labels['kubernetes.io/os'] ?? 'linux') === 'linux' && matchesSelector(spec.nodeSelector ?? {}, labels);
}

function byWeight(a: BalloonPolicy, b: BalloonPolicy): number {
  const byName = (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1;
  return (b.spec.weight ?? 0) - (a.spec.weight ?? 0) || byName;
}
