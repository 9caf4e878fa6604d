/** Chunks split when they grow beyond this; small enough that an insertion moves little memory. */
const chunkLength = 512;

/**
 * A map in key order. Reading one key costs a hash lookup; adding or removing
 * one moves at most a chunk, so a large collection stays cheap to write.
 */
export class SortedEntries<T> {
  readonly #byKey = new Map<string, T>();
  /** The keys in order. Never holds an empty chunk. */
  readonly #chunks: string[][] = [];

  get size(): number {
    return this.#byKey.size;
  }

  get(key: string): T | undefined {
    return this.#byKey.get(key);
  }

  set(key: string, value: T): void {
    const { size } = this.#byKey;
    this.#byKey.set(key, value);
    if (this.#byKey.size === size) return;
    const chunk = this.#chunks[this.#chunkOf(key)];
    if (!chunk) {
      this.#chunks.push([key]);
      return;
    }
    chunk.splice(firstAtOrAfter(chunk, key), 0, key);
    if (chunk.length > chunkLength) this.#split(chunk);
  }

  delete(key: string): void {
    if (!this.#byKey.delete(key)) return;
    const at = this.#chunkOf(key);
    const chunk = this.#chunks[at];
    if (!chunk) return;
    chunk.splice(firstAtOrAfter(chunk, key), 1);
    if (chunk.length === 0) this.#chunks.splice(at, 1);
  }

  /** Keys and values from `start` (inclusive) up to `end` (exclusive; unbounded when absent), in key order. */
  *range(start: string, end?: string): Generator<readonly [string, T]> {
    for (let at = this.#chunkOf(start); at < this.#chunks.length; at += 1) {
      const chunk = this.#chunks[at] ?? [];
      for (const key of chunk) {
        if (key < start) continue;
        if (end !== undefined && key >= end) return;
        yield [key, this.#byKey.get(key) as T];
      }
    }
  }

  /** How many keys lie from `start` (inclusive) up to `end` (exclusive). Counts chunks, not keys, in the middle. */
  count(start: string, end?: string): number {
    let found = 0;
    for (let at = this.#chunkOf(start); at < this.#chunks.length; at += 1) {
      const chunk = this.#chunks[at] ?? [];
      const from = firstAtOrAfter(chunk, start);
      const to = end === undefined ? chunk.length : firstAtOrAfter(chunk, end);
      found += Math.max(0, to - from);
      if (to < chunk.length) break;
    }
    return found;
  }

  /** Index of the chunk that holds `key` or would take it: the last one that starts at or before it. */
  #chunkOf(key: string): number {
    let low = 0;
    let high = this.#chunks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      const first = this.#chunks[middle]?.[0];
      if (first !== undefined && first <= key) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #split(chunk: string[]): void {
    const upper = chunk.splice(chunk.length >> 1);
    this.#chunks.splice(this.#chunks.indexOf(chunk) + 1, 0, upper);
  }
}

function firstAtOrAfter(chunk: readonly string[], key: string): number {
  let low = 0;
  let high = chunk.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((chunk[middle] ?? '') < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
