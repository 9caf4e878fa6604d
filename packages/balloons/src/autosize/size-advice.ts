import { type Amounts, sameAmounts } from '../planner/amounts.js';
import type { AutosizeDecision } from './decide-size.js';

/** The recommended size of each node, for its status and for metrics. */
export class SizeAdvice {
  readonly #sizes = new Map<string, Amounts>();
  readonly #blocked = new Map<string, string>();
  readonly #changed: (node: string) => void;
  readonly #onBlocked: (reason: string) => void;

  /** `changed` receives a node whose recommendation changed, `onBlocked` the reason why a node that could shrink does not. */
  constructor(changed: (node: string) => void, onBlocked: (reason: string) => void = () => {}) {
    this.#changed = changed;
    this.#onBlocked = onBlocked;
  }

  for(node: string): Amounts | undefined {
    return this.#sizes.get(node);
  }

  all(): ReadonlyMap<string, Amounts> {
    return this.#sizes;
  }

  /** Stores a decision about a node whose current size is `size`. */
  note(node: string, decision: AutosizeDecision, size: Amounts): void {
    this.#noteBlocked(node, decision.kind === 'keep' ? decision.reason : 'Fits');
    const advised = decision.kind === 'keep' ? size : decision.to;
    const before = this.#sizes.get(node);
    if (before && sameAmounts(before, advised)) return;
    this.#sizes.set(node, advised);
    this.#changed(node);
  }

  /** Removes the recommendations of all other nodes. */
  onlyFor(nodes: ReadonlySet<string>): void {
    for (const node of [...this.#sizes.keys()].filter((each) => !nodes.has(each))) {
      this.#sizes.delete(node);
      this.#blocked.delete(node);
      this.#changed(node);
    }
  }

  /** A node that stays blocked for the same reason is counted once. */
  #noteBlocked(node: string, reason: string): void {
    if (this.#blocked.get(node) === reason) return;
    this.#blocked.set(node, reason);
    if (reason !== 'Fits') this.#onBlocked(reason);
  }
}
