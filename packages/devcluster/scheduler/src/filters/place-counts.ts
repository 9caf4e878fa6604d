import type { Node } from '@slipway/kube-objects/kinds/api/nodes';

/** How many pods each place has. A place is a node label with its value. */
export class PlaceCounts {
  readonly #counts: Map<string, number>;

  constructor(counts: Iterable<readonly [string, number]> = []) {
    this.#counts = new Map(counts);
  }

  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  /** Counts at the place that the node is part of, if it has the label. */
  add(node: Node, topologyKey: string, by: number): void {
    const place = placeOf(node, topologyKey);
    if (place === undefined) return;
    const count = (this.#counts.get(place) ?? 0) + by;
    if (count === 0) this.#counts.delete(place);
    else this.#counts.set(place, count);
  }

  at(node: Node, topologyKey: string): number {
    const place = placeOf(node, topologyKey);
    return place === undefined ? 0 : (this.#counts.get(place) ?? 0);
  }

  /** Whether the node is part of any counted place. */
  touches({ metadata }: Node): boolean {
    return Object.entries(metadata.labels ?? {}).some(([key, value]) => this.#counts.has(`${key}=${value}`));
  }

  copy(): PlaceCounts {
    return new PlaceCounts(this.#counts);
  }
}

function placeOf({ metadata }: Node, topologyKey: string): string | undefined {
  const value = metadata.labels?.[topologyKey];
  return value === undefined ? undefined : `${topologyKey}=${value}`;
}
