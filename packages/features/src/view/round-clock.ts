/**
 * When this process first heard of each round of reports, on its monotonic clock.
 * After a restart every round seems new, so that renewals from before do not count as evidence.
 */
export class RoundClock {
  readonly #monotonicMs: () => number;
  readonly #opened = new Map<string, number>();

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
  }

  openedMs(round: string): number {
    const known = this.#opened.get(round);
    if (known !== undefined) return known;
    const nowMs = this.#monotonicMs();
    this.#opened.set(round, nowMs);
    // Rounds are few and short; a hundred of them are all that can be going on.
    const oldest = this.#opened.size > 100 ? this.#opened.keys().next().value : undefined;
    if (oldest !== undefined) this.#opened.delete(oldest);
    return nowMs;
  }
}
