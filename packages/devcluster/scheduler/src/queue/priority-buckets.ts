/** Keys with a priority. The highest comes first; among equals the one that was there first. */
export class PriorityBuckets {
  readonly #buckets = new Map<number, Set<string>>();

  add(key: string, priority: number): void {
    this.#buckets.set(priority, (this.#buckets.get(priority) ?? new Set()).add(key));
  }

  delete(key: string, priority: number): void {
    const bucket = this.#buckets.get(priority);
    bucket?.delete(key);
    if (bucket?.size === 0) this.#buckets.delete(priority);
  }

  /** The first key, which stays. */
  first(): string | undefined {
    if (this.#buckets.size === 0) return undefined;
    const [key] = this.#buckets.get(Math.max(...this.#buckets.keys())) ?? [];
    return key;
  }
}
