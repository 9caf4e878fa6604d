import type { Clock } from '@slipway/kube';

/** Those who wait for any change of claims, volumes and pods. */
export class Waiting {
  readonly #clock: Clock;
  readonly #waiting = new Set<() => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Something has changed. */
  wake(): void {
    for (const resolve of this.#waiting) resolve();
  }

  /** Waits for a change, at most that many milliseconds. @throws the reason of `signal` when it aborts */
  async changed(withinMs: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    let stop = () => {};
    await new Promise<void>((resolve) => {
      const timer = this.#clock.after(withinMs, resolve);
      stop = () => {
        timer.cancel();
        this.#waiting.delete(resolve);
        signal.removeEventListener('abort', onAbort);
      };
      const onAbort = () => resolve();
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.add(resolve);
    });
    stop();
    signal.throwIfAborted();
  }
}
