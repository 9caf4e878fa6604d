/**
 * Remembers when something that is renewed was last seen to change, on this
 * process's own monotonic clock: what other machines believe the time to be plays no part.
 */
export class Renewals {
  readonly #seen = new Map<string, { readonly value: string; readonly firstMs: number; readonly changedMs?: number }>();

  /** Notes the value something has now, for example the renewTime of a lease. */
  observe(key: string, value: string, nowMs: number): void {
    const before = this.#seen.get(key);
    if (!before) this.#seen.set(key, { value, firstMs: nowMs });
    else if (before.value !== value) this.#seen.set(key, { value, firstMs: before.firstMs, changedMs: nowMs });
  }

  forget(key: string): void {
    this.#seen.delete(key);
  }

  /** When a change was last witnessed; undefined if it never was, which says nothing about its age. */
  renewedMs(key: string): number | undefined {
    return this.#seen.get(key)?.changedMs;
  }

  /**
   * Whether it was renewed within `withinMs`. What was only just discovered gets
   * that long to show it: the moment of its last renewal is not known here.
   */
  isLive(key: string, nowMs: number, withinMs: number): boolean {
    const seen = this.#seen.get(key);
    return seen !== undefined && nowMs - (seen.changedMs ?? seen.firstMs) < withinMs;
  }
}
