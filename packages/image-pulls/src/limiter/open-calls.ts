import type { PullAsk } from './pull-ask.js';
import type { Pull } from './queue-state.js';

/** What becomes of a call before it is answered. */
interface CallEvents {
  /** It is open from now on. It may be answered before this returns. */
  arrived(callerId: number): void;
  /** Its caller hung up, and gets no answer any more. */
  left(callerId: number): void;
}

/** Calls without an answer, by the id of their caller. */
export class OpenCalls<T> {
  readonly #calls = new Map<number, { readonly ask: PullAsk<T>; settle(outcome: () => T): void }>();
  #nextId = 1;

  /**
   * Resolves with what the call is answered with.
   * @throws what it is answered with, or the reason of `hangUp`
   */
  async open(ask: PullAsk<T>, hangUp: AbortSignal, events: CallEvents): Promise<T> {
    const id = this.#nextId++;
    return await new Promise<T>((resolve, reject) => {
      const hungUp = () => {
        this.#calls.delete(id);
        events.left(id);
        reject(hangUp.reason);
      };
      const settle = (outcome: () => T) => {
        hangUp.removeEventListener('abort', hungUp);
        try {
          resolve(outcome());
        } catch (error) {
          reject(error);
        }
      };
      this.#calls.set(id, { ask, settle });
      hangUp.addEventListener('abort', hungUp, { once: true });
      events.arrived(id);
    });
  }

  /** Answers a call with what `outcome` returns or throws. */
  answer(callerId: number, outcome: () => T): void {
    const call = this.#calls.get(callerId);
    this.#calls.delete(callerId);
    call?.settle(outcome);
  }

  ask(callerId: number): PullAsk<T> | undefined {
    return this.#calls.get(callerId)?.ask;
  }

  /** What the callers of a pull asked, as far as they still wait. */
  asksFor({ callers }: Pull): readonly PullAsk<T>[] {
    return callers.flatMap(({ id }) => this.ask(id) ?? []);
  }

  /** The pods that wait for a pull, as `namespace/name`, each once. */
  podsFor(pull: Pull): readonly string[] {
    return [...new Set(this.asksFor(pull).flatMap(({ pod }) => pod ?? []))];
  }
}
