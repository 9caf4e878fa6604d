import { InternPool } from '@slipway/api-machinery/json/intern-pool';
import { isTerminating } from '@slipway/kube-objects/kinds/api/pods';
import type { Demand } from '../demand/demand.js';
import { hasLabels, type SpreadRule } from '../demand/spread-rule.js';
import type { NodeState } from './node-state.js';

/** Number of recently used counts, and of older ones: each count has an entry for every node, possibly thousands. */
const maxCounts = 32;

/**
 * What nodes and places have of the pods that rules spread. The rules of all pods of a workload count the same, so
 * counts are kept from one pod to the next: only nodes that changed in between are looked at again.
 */
export class SpreadCounts {
  readonly #kept = new InternPool<SpreadCount>(maxCounts);

  /** What a rule of `demand` counts, on nodes that have the labels of all `needed` rules. */
  of(demand: Demand, rule: SpreadRule, needed: readonly SpreadRule[]): SpreadCount {
    const labels = needed.map(({ topologyKey }) => topologyKey);
    return this.#kept.get(JSON.stringify([rule.counted(), labels]), () => new SpreadCount(demand, rule, needed));
  }
}

/** A node as one rule sees it. */
interface Share {
  /** The place it is part of; undefined when it counts for none. */
  readonly place: string | undefined;
  readonly pods: number;
}

class SpreadCount {
  readonly #demand: Demand;
  readonly #rule: SpreadRule;
  readonly #needed: readonly SpreadRule[];
  readonly #shares = new WeakMap<NodeState, Share>();
  #last: readonly Share[] = [];
  #places: ReadonlyMap<string, number> = new Map();

  constructor(demand: Demand, rule: SpreadRule, needed: readonly SpreadRule[]) {
    this.#demand = demand;
    this.#rule = rule;
    this.#needed = needed;
  }

  /** How many pods of a node the rule spreads, whether the node counts or not. */
  on(state: NodeState): number {
    return this.#shareOf(state).pods;
  }

  /** How many pods each place has, by the value of the rule's label. The answer never changes afterwards. */
  byPlace(nodes: readonly NodeState[]): ReadonlyMap<string, number> {
    const shares = nodes.map((state) => this.#shareOf(state));
    this.#places = movedOn(this.#places, this.#last, shares) ?? added(shares);
    this.#last = shares;
    return this.#places;
  }

  #shareOf(state: NodeState): Share {
    const known = this.#shares.get(state);
    if (known) return known;
    const share = {
      place: this.#placeOf(state),
      pods: state.pods.filter((other) => isSpread(this.#demand, this.#rule, other)).length,
    };
    this.#shares.set(state, share);
    return share;
  }

  #placeOf({ node }: NodeState): string | undefined {
    const counts = hasLabels(node, this.#needed) && this.#rule.counts(node);
    return counts ? node.metadata.labels?.[this.#rule.topologyKey] : undefined;
  }
}

/** Whether `other` is one of the pods that a rule of `demand` spreads; those on their way out are not. */
export function isSpread({ pod }: Demand, rule: SpreadRule, other: Demand): boolean {
  return (
    other.pod.metadata.namespace === pod.metadata.namespace && !isTerminating(other.pod) && rule.selects(other.pod)
  );
}

/** The counts after nodes got more or fewer pods; undefined when nodes came, went or changed their place. */
function movedOn(
  places: ReadonlyMap<string, number>,
  before: readonly Share[],
  now: readonly Share[],
): ReadonlyMap<string, number> | undefined {
  if (before.length !== now.length) return undefined;
  let moved: Map<string, number> | undefined;
  for (const [index, share] of now.entries()) {
    const last = before[index] as Share;
    if (share === last) continue;
    const { place, pods } = share;
    if (place !== last.place) return undefined;
    if (place === undefined || pods === last.pods) continue;
    moved ??= new Map(places);
    moved.set(place, (moved.get(place) ?? 0) + pods - last.pods);
  }
  return moved ?? places;
}

function added(shares: readonly Share[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  for (const { place, pods } of shares) if (place !== undefined) places.set(place, (places.get(place) ?? 0) + pods);
  return places;
}
