import { type Amounts, shortages } from './amounts.js';
import { matchesNode, preference } from './node-affinity.js';
import type { Demand, NodeState } from './node-state.js';
import { tolerates, untolerated } from './taints.js';

/** Where a pod goes, or why it goes nowhere. */
export type Placement =
  | { readonly kind: 'node'; readonly nodeName: string }
  | { readonly kind: 'nowhere'; readonly message: string };

/**
 * Picks a node: of those that can take the pod, the one with the highest score.
 * Pure; `nodes` says what is taken already.
 */
export function placePod(demand: Demand, nodes: readonly NodeState[]): Placement {
  if (nodes.length === 0) return { kind: 'nowhere', message: 'no nodes available to schedule pods' };
  const reasons = new Map<string, number>();
  let best: { readonly state: NodeState; readonly score: number } | undefined;
  for (const state of nodes) {
    const against = whyNot(demand, state);
    for (const reason of against) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    if (against.length > 0) continue;
    const score = scoreOf(demand, state);
    if (!best || score > best.score || (score === best.score && podsOn(state) < podsOn(best.state)))
      best = { state, score };
  }
  if (best) return { kind: 'node', nodeName: best.state.node.metadata.name ?? '' };
  const counted = [...reasons].map(([reason, count]) => `${count} ${reason}`).sort();
  return { kind: 'nowhere', message: `0/${nodes.length} nodes are available: ${counted.join(', ')}.` };
}

/** Everything that keeps the pod from this node, in the words of the first filter that objects; empty when nothing does. */
export function whyNot(
  { pod, amounts, hostPorts }: Demand,
  { node, used, allocatable, hostPorts: taken }: NodeState,
): readonly string[] {
  const tolerations = pod.spec.tolerations ?? [];
  if (node.spec?.unschedulable && !tolerations.some((each) => tolerates(each, unschedulableTaint))) {
    return ['node(s) were unschedulable'];
  }
  if (untolerated(node.spec?.taints ?? [], tolerations, ['NoSchedule', 'NoExecute'])) {
    return ['node(s) had untolerated taint(s)'];
  }
  if (!matchesNode(pod, node)) return ["node(s) didn't match Pod's node affinity/selector"];
  if (hostPorts.some((port) => taken.has(port))) return ["node(s) didn't have free ports for the requested pod ports"];
  return shortages(amounts, used, allocatable).map((name) =>
    name === 'pods' ? 'Too many pods' : `Insufficient ${name}`,
  );
}

/** What a cordon means to those that tolerate it. */
const unschedulableTaint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' } as const;

/** Free room first (0 to 100), then what the pod prefers and taints that would rather not have it. */
function scoreOf({ pod, load }: Demand, { node, load: taken, allocatable }: NodeState): number {
  const room = (freeShare('cpu', load, taken, allocatable) + freeShare('memory', load, taken, allocatable)) / 2;
  const unwelcome = (node.spec?.taints ?? []).filter((taint) =>
    untolerated([taint], pod.spec.tolerations ?? [], ['PreferNoSchedule']),
  ).length;
  return Math.floor(room) + 2 * preference(pod, node) - 300 * unwelcome;
}

function freeShare(name: string, load: Amounts, taken: Amounts, allocatable: Amounts): number {
  const all = allocatable.get(name) ?? 0;
  const free = all - (taken.get(name) ?? 0) - (load.get(name) ?? 0);
  return all > 0 && free > 0 ? (free * 100) / all : 0;
}

function podsOn({ used }: NodeState): number {
  return used.get('pods') ?? 0;
}
