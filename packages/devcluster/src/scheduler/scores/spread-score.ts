import { countByPlace, hasLabels, spreadOn } from '../filters/topology-spread.js';
import type { NodeState } from '../node-state.js';
import type { SpreadRule } from '../spread-rule.js';
import { most, type Score } from './score.js';

/** Labels of the places that every cluster has. */
export const hostname = 'kubernetes.io/hostname';
export const zone = 'topology.kubernetes.io/zone';

/**
 * Nodes in places with fewer pods of their kind, by `ScheduleAnyway` constraints. A node without a label that a pod's own
 * constraints name gets nothing; the constraints of pods without their own make do with the labels that there are.
 */
export const spreadScore: Score = {
  weight: 2,
  rate(demand, feasible, { nodes, defaultSpread }) {
    const hasOwn = (demand.pod.spec.topologySpreadConstraints ?? []).length > 0;
    const rules = hasOwn ? demand.shouldSpread : defaultSpread(demand.pod);
    if (rules.length === 0) return undefined;
    const needed = hasOwn ? rules : [];
    const counted = feasible.filter(({ node }) => hasLabels(node, needed));
    const weighed = rules.map((rule) => {
      const isByNode = rule.topologyKey === hostname;
      const isKnown = !isByNode && counted.some(({ node }) => hasLabels(node, [rule]));
      const inPlaces = isKnown ? countByPlace(demand, rule, needed, nodes) : new Map<string, number>();
      const countAt = (state: NodeState, place: string) =>
        isByNode ? spreadOn(demand, rule, state) : (inPlaces.get(place) ?? 0);
      return { rule, weight: Math.log(placesOf(rule, counted) + 2), countAt };
    });
    const crowding = feasible.map((state) => {
      const { node } = state;
      if (!hasLabels(node, needed)) return undefined;
      const parts = weighed.map(({ rule, weight, countAt }) => {
        const place = node.metadata.labels?.[rule.topologyKey];
        return place === undefined ? 0 : countAt(state, place) * weight + rule.maxSkew - 1;
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
