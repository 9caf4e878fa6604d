import type { NodeView } from '../nodes/node-view.js';
import type { PolicySettings } from '../settings/policy-settings.js';

interface Wish {
  readonly node: NodeView;
  readonly policy: PolicySettings;
}

/** Limits the resizes in progress as policies require, in total and per zone. Waiting nodes are notified in order. */
export class ResizeSlots {
  readonly #taken = new Map<string, string | undefined>();
  readonly #perZone = new Map<string, number>();
  readonly #waiting = new Map<string, Wish>();
  readonly #yourTurn: (node: string) => void;

  constructor(yourTurn: (node: string) => void) {
    this.#yourTurn = yourTurn;
  }

  /** Reserves a slot for a node; false when none is free. Idempotent. */
  take(node: NodeView, policy: PolicySettings): boolean {
    if (this.#taken.has(node.name)) return true;
    if (!this.#isFree({ node, policy })) {
      this.#waiting.set(node.name, { node, policy });
      return false;
    }
    const zone = zoneOf(node);
    this.#waiting.delete(node.name);
    this.#taken.set(node.name, zone);
    if (zone !== undefined) this.#perZone.set(zone, this.#inZone(zone) + 1);
    return true;
  }

  /** Frees the slot of a node, or its place in the queue. */
  release(name: string): void {
    this.#waiting.delete(name);
    if (!this.#taken.has(name)) return;
    const zone = this.#taken.get(name);
    this.#taken.delete(name);
    if (zone !== undefined) this.#perZone.set(zone, this.#inZone(zone) - 1);
    for (const [next, wish] of this.#waiting) {
      if (this.#isFree(wish)) {
        // The node has to take the slot; until then another one may.
        this.#waiting.delete(next);
        this.#yourTurn(next);
        return;
      }
    }
  }

  #isFree({ node, policy: { concurrency } }: Wish): boolean {
    const zone = zoneOf(node);
    if (this.#taken.size >= concurrency.cluster) return false;
    return zone === undefined || this.#inZone(zone) < concurrency.perFailureDomain;
  }

  #inZone(zone: string): number {
    return this.#perZone.get(zone) ?? 0;
  }
}

function zoneOf({ labels }: NodeView): string | undefined {
  return labels['topology.kubernetes.io/zone'];
}
