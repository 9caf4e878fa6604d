/**
 * Objects that are held of each namespace, up to a limit. What comes first stays: no later reporter can push it
 * out, and no namespace takes anything from another.
 */
export class Budget {
  readonly #limitOf: (namespace: string) => number;
  readonly #held = new Map<string, Set<string>>();
  readonly #excess = new Map<string, Set<string>>();

  constructor(limitOf: (namespace: string) => number) {
    this.#limitOf = limitOf;
  }

  /** Whether an object is held: it is already, or there is room for it. */
  take(namespace: string, name: string): boolean {
    const held = this.#held.get(namespace);
    if (held?.has(name)) return true;
    const isHeld = (held?.size ?? 0) < this.#limitOf(namespace);
    if (isHeld) remove(this.#excess, namespace, name);
    add(isHeld ? this.#held : this.#excess, namespace, name);
    return isHeld;
  }

  /** Forgets an object that was deleted. Returns those that have room now; they are to be taken again. */
  release(namespace: string, name: string): readonly string[] {
    remove(this.#excess, namespace, name);
    remove(this.#held, namespace, name);
    const room = this.#limitOf(namespace) - (this.#held.get(namespace)?.size ?? 0);
    const waiting = this.#excess.get(namespace);
    return waiting && room > 0 ? [...waiting].slice(0, room) : [];
  }

  /** Names that are not held, in the order in which they came. */
  excess(namespace: string): ReadonlySet<string> {
    return this.#excess.get(namespace) ?? new Set();
  }

  /** How many are not held, of each namespace that exceeds its limit. */
  exceeding(): ReadonlyMap<string, number> {
    return new Map([...this.#excess].map(([namespace, names]) => [namespace, names.size]));
  }
}

function add(sets: Map<string, Set<string>>, namespace: string, name: string): void {
  const names = sets.get(namespace) ?? new Set();
  sets.set(namespace, names.add(name));
}

function remove(sets: Map<string, Set<string>>, namespace: string, name: string): void {
  const names = sets.get(namespace);
  names?.delete(name);
  if (names?.size === 0) sets.delete(namespace);
}
