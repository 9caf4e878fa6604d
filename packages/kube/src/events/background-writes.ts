import type { Logger } from '../log/logger.js';
import { DenialLog } from './denial-log.js';

/** Writes that may wait for the server; beyond that new ones are dropped. */
const mayWait = 1000;

/**
 * Writes of events, one after the other, in the background. What cannot be written is dropped, because no work may
 * depend on an event.
 */
export class BackgroundWrites {
  readonly #log: Logger;
  readonly #denials: DenialLog;
  readonly #inTurn: (write: () => Promise<void>) => Promise<void>;
  #waiting = 0;
  #writing: Promise<void> = Promise.resolve();

  /** Each write is handed to `inTurn`, which runs it when it is time. At once when absent. */
  constructor(log: Logger, inTurn: (write: () => Promise<void>) => Promise<void> = (write) => write()) {
    this.#log = log;
    this.#denials = new DenialLog(log);
    this.#inTurn = inTurn;
  }

  get isFull(): boolean {
    return this.#waiting >= mayWait;
  }

  /** Runs a write of an event with this reason after those before it, unless too many wait. */
  add(reason: string, write: () => Promise<void>): void {
    if (this.isFull) return;
    this.#waiting++;
    this.#writing = this.#writing
      .then(() => this.#inTurn(write))
      .catch((error: unknown) => {
        this.#denials.report('events are dropped', error);
        this.dropped(reason, error);
      })
      .finally(() => {
        this.#waiting--;
      });
  }

  dropped(reason: string, error: unknown): void {
    this.#log.debug('an event was dropped', { reason, error });
  }

  /** Waits until what was added so far is written or dropped. */
  settled(): Promise<void> {
    return this.#writing;
  }
}
