import { type Clock, sleep } from '@slipway/kube';

/** Work that is repeated while a page wants to know what comes of it. */
export class Repeated {
  readonly #clock: Clock;
  readonly #everyMs: number;
  readonly #work: () => Promise<boolean>;
  readonly #listeners = new Set<() => void>();
  #isWorking = false;

  /** @param work resolves with whether the listeners are told; never rejects */
  constructor(clock: Clock, everyMs: number, work: () => Promise<boolean>) {
    this.#clock = clock;
    this.#everyMs = everyMs;
    this.#work = work;
  }

  /** Whether there are listeners. */
  get isHeard(): boolean {
    return this.#listeners.size > 0;
  }

  /** Calls `listener` when there is something to tell, until it is closed. */
  onChange(listener: () => void): { close(): void } {
    this.#listeners.add(listener);
    if (!this.#isWorking) void this.#repeat();
    return { close: () => void this.#listeners.delete(listener) };
  }

  async #repeat(): Promise<void> {
    this.#isWorking = true;
    while (this.isHeard) {
      if (await this.#work()) for (const listener of [...this.#listeners]) listener();
      await sleep(this.#clock, this.#everyMs);
    }
    this.#isWorking = false;
  }
}
