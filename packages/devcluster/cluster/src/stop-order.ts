import type { Logger } from '@slipway/kube';

/** What is to be done when a cluster stops, in the order in which it is done. */
export class StopOrder {
  readonly #log: Logger;
  #steps: (() => unknown)[] = [];

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Before all that is in here already. */
  first(step: () => unknown): void {
    this.#steps.unshift(step);
  }

  /** After all that is in here already. */
  last(step: () => unknown): void {
    this.#steps.push(step);
  }

  /** One after the other, whatever becomes of those before: what is left running would be worse. */
  async run(): Promise<void> {
    for (const step of this.#steps.splice(0)) {
      try {
        await step();
      } catch (error) {
        this.#log.warn('something did not stop in good order', { error });
      }
    }
  }
}
