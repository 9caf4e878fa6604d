import { type Clock, sleep } from '@slipway/kube';

/** Those who wait for any change of claims and pods. */
export class Waiting {
  readonly #clock: Clock;
  readonly #waiting = new Set<AbortController>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Something has changed. */
  wake(): void {
    for (const woken of this.#waiting) woken.abort();
  }

  /** Waits for a change, at most that many milliseconds. @throws the reason of `signal` when it aborts */
  async changed(withinMs: number, signal: AbortSignal): Promise<void> {
    const woken = new AbortController();
    this.#waiting.add(woken);
    try {
      await sleep(this.#clock, withinMs, AbortSignal.any([signal, woken.signal]));
    } catch (error) {
      if (signal.aborted || !woken.signal.aborted) throw error;
    } finally {
      this.#waiting.delete(woken);
    }
  }
}
