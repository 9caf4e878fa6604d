/** The kubelet's numbers. */
const firstMs = 10_000;
const longestMs = 300_000;

interface Entry {
  readonly delayMs: number;
  readonly sinceMs: number;
}

/**
 * Spaces out failing pulls of one image for one pod: 10 s, doubling to 5 min, and
 * forgotten when nothing failed for twice as long as that. Times are monotonic.
 */
export class ImageBackOff {
  readonly #entries = new Map<string, Entry>();

  /** How long until the next try, or 0 when it may be made now. */
  remainingMs(key: string, nowMs: number): number {
    const entry = this.#entries.get(key);
    return entry ? Math.max(0, entry.sinceMs + entry.delayMs - nowMs) : 0;
  }

  /** Notes a failure. */
  failed(key: string, nowMs: number): void {
    const entry = this.#entries.get(key);
    const isFresh = entry !== undefined && nowMs - entry.sinceMs <= 2 * longestMs;
    const delayMs = isFresh ? Math.min(longestMs, entry.delayMs * 2) : firstMs;
    this.#entries.set(key, { delayMs, sinceMs: nowMs });
    for (const [other, { sinceMs }] of this.#entries) if (nowMs - sinceMs > 2 * longestMs) this.#entries.delete(other);
  }

  succeeded(key: string): void {
    this.#entries.delete(key);
  }
}
