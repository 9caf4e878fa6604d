import type { Logger } from '../log/logger.js';
import { hasReason } from '../transport/status.js';

/** Logs rights that a process lacks, each once: for requests whose failure is otherwise no trouble. */
export class DenialLog {
  readonly #log: Logger;
  readonly #logged = new Set<string>();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Logs `message` and the error if this is the first time that the API server denies the right in it. */
  report(message: string, error: unknown): void {
    if (!hasReason(error, 'Forbidden')) return;
    const [right] = /cannot \S+ resource "[^"]*" in API group "[^"]*"/.exec(error.message) ?? [];
    if (right === undefined || this.#logged.has(right)) return;
    this.#logged.add(right);
    this.#log.warn(message, { error });
  }
}
