import { createHash } from 'node:crypto';

/** Entries that were put last, up to a maximum. */
export class Remembered<V> {
  readonly #entries = new Map<string, V>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): V | undefined {
    return this.#entries.get(key);
  }

  /** Puts an entry last, and forgets the one not put for longest when there are too many. */
  put(key: string, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#most) return;
    const [oldest = ''] = this.#entries.keys();
    this.#entries.delete(oldest);
  }

  forget(key: string): void {
    this.#entries.delete(key);
  }

  entries(): IterableIterator<[string, V]> {
    return this.#entries.entries();
  }
}

/** Digest that an event is remembered by: it is as telling as its text, and a twentieth of it. */
export function digestOf(event: readonly unknown[]): string {
  return createHash('sha1').update(JSON.stringify(event)).digest('binary');
}
