import { sameJson } from '@slipway/kube';
import type { Demand } from '../demand/demand.js';
import { hasLabels } from '../demand/spread-rule.js';
import type { NodeState } from '../view/node-state.js';
import { isSpread } from '../view/spread-counts.js';
import { type Check, type ClusterChange, type Filter, permanent, removable } from './filter.js';

const unmet = "node(s) didn't match pod topology spread constraints";

/** Pods spread over places: no place may have more than `maxSkew` pods above the emptiest one. */
export const topologySpread: Filter = {
  name: 'PodTopologySpread',
  prepare(demand, { nodes, spreadCounts }) {
    const rules = demand.mustSpread;
    if (rules.length === 0) return undefined;
    const counts = rules.map((rule) => spreadCounts.of(demand, rule, rules).byPlace(nodes));
    return check(demand, counts);
  },
  helpedBy: isHelped,
};

type Counts = readonly ReadonlyMap<string, number>[];

function check(demand: Demand, counts: Counts): Check {
  const rules = demand.mustSpread;
  const least = rules.map((rule, index) => fewest(counts[index] ?? new Map(), rule.minDomains));
  return {
    on({ node }) {
      for (const [index, rule] of rules.entries()) {
        const place = node.metadata.labels?.[rule.topologyKey];
        if (place === undefined) return permanent(`${unmet} (missing required label)`);
        const own = rule.selects(demand.pod) ? 1 : 0;
        const skew = (counts[index]?.get(place) ?? 0) + own - (least[index] ?? 0);
        if (skew > rule.maxSkew) return removable(unmet);
      }
      return undefined;
    },
    after(other, node, by) {
      if (!hasLabels(node, rules)) return this;
      const changed = rules.map((rule, index) => {
        const before = counts[index] ?? new Map<string, number>();
        if (!isSpread(demand, rule, other) || !rule.counts(node)) return before;
        const place = node.metadata.labels?.[rule.topologyKey] ?? '';
        return new Map(before).set(place, (before.get(place) ?? 0) + by);
      });
      return check(demand, changed);
    },
  };
}

/** What the emptiest place has. With fewer places than there should be, the missing ones are the emptiest. */
function fewest(counts: ReadonlyMap<string, number>, minDomains: number): number {
  return counts.size < minDomains ? 0 : Math.min(...counts.values());
}

function isHelped(demand: Demand, change: ClusterChange): boolean {
  switch (change.kind) {
    case 'node': {
      const { before, after } = change;
      return !before || !sameJson(placeFacts(before), placeFacts(after));
    }
    case 'node-gone':
      return true;
    case 'pod': {
      const matters = (other: Demand | undefined) =>
        other !== undefined && demand.mustSpread.some((rule) => isSpread(demand, rule, other));
      return matters(change.before) !== matters(change.after);
    }
    default:
      return false;
  }
}

function placeFacts({ node }: NodeState): unknown {
  return [node.metadata.labels, node.spec?.taints];
}
