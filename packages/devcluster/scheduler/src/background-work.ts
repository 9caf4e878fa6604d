/** Writes on their way, which placing other pods does not wait for. */
export class BackgroundWork {
  readonly #running = new Set<Promise<void>>();
  readonly #lastOf = new Map<string, Promise<void>>();
  /** Called when a piece of work ends. */
  #ended = () => {};

  /** Lets `work` go on; it must not fail. */
  add(work: Promise<void>): void {
    const tracked: Promise<void> = work.finally(() => {
      this.#running.delete(tracked);
      this.#ended();
    });
    this.#running.add(tracked);
  }

  /** Does `work` once the work before it with the same key has ended; it must not fail. */
  async inTurn(key: string, work: () => Promise<void>): Promise<void> {
    const mine = (this.#lastOf.get(key) ?? Promise.resolve()).then(work);
    this.#lastOf.set(key, mine);
    await mine;
    if (this.#lastOf.get(key) === mine) this.#lastOf.delete(key);
  }

  /** Waits until less than `max` is running. */
  async whenBelow(max: number): Promise<void> {
    while (this.#running.size >= max) {
      await new Promise<void>((resolve) => {
        this.#ended = resolve;
      });
    }
  }

  /** Waits for everything that is running. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running);
  }
}
