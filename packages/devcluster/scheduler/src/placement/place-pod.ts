import type { Demand } from '../demand/demand.js';
import type { Filter } from '../filters/filter.js';
import { totalScores } from '../scores/all-scores.js';
import type { Score } from '../scores/score.js';
import type { ClusterView } from '../view/cluster-view.js';
import type { NodeState } from '../view/node-state.js';
import { checksFor, type NamedCheck, type NodeObjection, objectionTo } from './judged-node.js';

/** Where a pod goes, or what came of looking for a place; and how many nodes were looked at. */
export type Placement =
  | { readonly kind: 'node'; readonly nodeName: string; readonly looked: number }
  | { readonly kind: 'nowhere'; readonly findings: Findings; readonly looked: number };

/** What is against every node. */
export interface Findings {
  /** How many nodes the cluster has. */
  readonly total: number;
  /** What keeps the pod from all nodes alike. */
  readonly refusal?: { readonly by: string; readonly reason: string };
  /** Filters by which only some nodes came into question. */
  readonly narrowedBy: readonly string[];
  readonly objections: readonly NodeObjection[];
  /** The judgements made, to be made again with pods taken away. */
  readonly checks: readonly NamedCheck[];
}

/** How to choose where the rules leave a choice. */
export interface Choice {
  /** The preferences among nodes. */
  readonly scores: readonly Score[];
  /** A number from 0 up to 1. */
  readonly random: () => number;
  /** Which node to begin with: in large clusters not all are looked at. */
  readonly firstNode: number;
}

/** Picks a node: of those that pass all filters, the one with the highest score. Pure but for the dice handed in. */
export function placePod(demand: Demand, cluster: ClusterView, filters: readonly Filter[], choice: Choice): Placement {
  const none: Findings = { total: cluster.nodes.length, narrowedBy: [], objections: [], checks: [] };
  for (const { name, refuses } of filters) {
    const reason = refuses?.(demand, cluster);
    if (reason !== undefined)
      return { kind: 'nowhere', findings: { ...none, refusal: { by: name, reason } }, looked: 0 };
  }
  const checks = checksFor(demand, cluster, filters);
  const { nominatedNodeName } = demand.pod.status ?? {};
  const nominated = nominatedNodeName && cluster.nodes.find(({ name }) => name === nominatedNodeName);
  if (nominated && !objectionTo(demand, { state: nominated, checks }, cluster)) {
    return { kind: 'node', nodeName: nominated.name, looked: 1 };
  }

  const { nodes, narrowedBy } = worthAsking(demand, cluster.nodes, filters);
  const wanted = enoughOf(nodes.length);
  const feasible: NodeState[] = [];
  const objections: NodeObjection[] = [];
  for (let index = 0; index < nodes.length && feasible.length < wanted; index++) {
    const state = nodes[(choice.firstNode + index) % nodes.length] as NodeState;
    const objection = objectionTo(demand, { state, checks }, cluster);
    if (objection) objections.push(objection);
    else feasible.push(state);
  }
  const best = bestOf(demand, feasible, cluster, choice);
  const looked = feasible.length + objections.length;
  if (best) return { kind: 'node', nodeName: best.name, looked };
  return { kind: 'nowhere', findings: { ...none, narrowedBy, objections, checks }, looked };
}

/** Names of the filters that keep the pod from nodes. */
export function objectorsOf({ refusal, narrowedBy, objections }: Findings): ReadonlySet<string> {
  return new Set([...(refusal ? [refusal.by] : []), ...narrowedBy, ...objections.map(({ by }) => by)]);
}

function worthAsking(demand: Demand, nodes: readonly NodeState[], filters: readonly Filter[]) {
  const narrowed = filters.flatMap(({ name, onlyOn }) => {
    const names = onlyOn?.(demand);
    return names ? [{ name, names }] : [];
  });
  return {
    nodes: narrowed.length === 0 ? nodes : nodes.filter(({ name }) => narrowed.every(({ names }) => names.has(name))),
    narrowedBy: narrowed.map(({ name }) => name),
  };
}

/** How many nodes that fit are enough to choose from: all of up to 100, then half and less, but never below 5 %. */
function enoughOf(nodes: number): number {
  const percent = Math.max(5, 50 - Math.floor(nodes / 125));
  return Math.max(100, Math.floor((nodes * percent) / 100));
}

function bestOf(
  demand: Demand,
  feasible: readonly NodeState[],
  cluster: ClusterView,
  { scores, random }: Choice,
): NodeState | undefined {
  if (feasible.length < 2) return feasible[0];
  const totals = totalScores(scores, demand, feasible, cluster);
  const highest = Math.max(...totals);
  const best = feasible.filter((_, index) => totals[index] === highest);
  return best[Math.floor(random() * best.length)];
}
