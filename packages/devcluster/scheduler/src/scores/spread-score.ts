import { hasLabels, type SpreadRule } from '../demand/spread-rule.js';
import type { NodeState } from '../view/node-state.js';
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
  rate(demand, feasible, { nodes, defaultSpread, spreadCounts }) {
    const hasOwn = (demand.pod.spec.topologySpreadConstraints ?? []).length > 0;
    const rules = hasOwn ? demand.shouldSpread : defaultSpread(demand.pod);
    if (rules.length === 0) return undefined;
    const needed = hasOwn ? rules : [];
    const isOutside = feasible.map(({ node }) => !hasLabels(node, needed));
    const inside = hasOwn ? feasible.filter((_, index) => !isOutside[index]) : feasible;
    const crowding = feasible.map(() => 0);
    for (const rule of rules) {
      const weight = Math.log(placesOf(rule, inside) + 2);
      const count = spreadCounts.of(demand, rule, needed);
      const inPlaces = rule.topologyKey === hostname ? undefined : count.byPlace(nodes);
      feasible.forEach((state, index) => {
        const place = state.node.metadata.labels?.[rule.topologyKey];
        if (place === undefined) return;
        const pods = inPlaces ? (inPlaces.get(place) ?? 0) : count.on(state);
        crowding[index] = (crowding[index] ?? 0) + pods * weight + rule.maxSkew - 1;
      });
    }
    return leastCrowdedFirst(crowding.map((value, index) => (isOutside[index] ? undefined : Math.round(value))));
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
