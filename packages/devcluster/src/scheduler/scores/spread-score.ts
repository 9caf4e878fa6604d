import { countByPlace, hasLabels, isSpread } from '../filters/topology-spread.js';
import type { NodeState } from '../node-state.js';
import type { SpreadRule } from '../spread-rule.js';
import { most, type Score } from './score.js';

const hostname = 'kubernetes.io/hostname';

/** Nodes in places with fewer pods of their kind, by `ScheduleAnyway` constraints. */
export const spreadScore: Score = {
  weight: 2,
  rate(demand, feasible, { nodes }) {
    const rules = demand.shouldSpread;
    if (rules.length === 0) return undefined;
    const counted = feasible.filter(({ node }) => hasLabels(node, rules));
    const weighed = rules.map((rule) => ({
      rule,
      weight: Math.log(placesOf(rule, counted) + 2),
      counts: countByPlace(demand, rule, rules, nodes),
    }));
    const crowding = feasible.map((state) => {
      if (!hasLabels(state.node, rules)) return undefined;
      const parts = weighed.map(({ rule, weight, counts }) => {
        const onNode = () => state.pods.filter((other) => isSpread(demand, rule, other)).length;
        const inPlace = () => counts.get(state.node.metadata.labels?.[rule.topologyKey] ?? '') ?? 0;
        return (rule.topologyKey === hostname ? onNode() : inPlace()) * weight + rule.maxSkew - 1;
      });
      return Math.round(parts.reduce((sum, part) => sum + part, 0));
    });
    return leastCrowdedFirst(crowding);
  },
};

function placesOf({ topologyKey }: SpreadRule, states: readonly NodeState[]): number {
  return topologyKey === hostname
    ? states.length
    : new Set(states.map(({ node }) => node.metadata.labels?.[topologyKey])).size;
}

/** Nodes outside every place get nothing. */
function leastCrowdedFirst(crowding: readonly (number | undefined)[]): readonly number[] {
  const known = crowding.filter((value) => value !== undefined);
  const [least, highest] = [Math.min(...known), Math.max(0, ...known)];
  return crowding.map((value) => {
    if (value === undefined) return 0;
    return highest === 0 ? most : Math.floor((most * (highest + least - value)) / highest);
  });
}
