import { type Feature, readServerLiveness, type ServerLiveness } from '@slipway/features';
import type { Kube } from '@slipway/kube';
import { Repeated } from './repeated.js';

const everyMs = 5_000;

/** Whether feature servers act on Features; checked every few seconds while a page wants to know. */
export class ServerWatch {
  readonly #repeated: Repeated;
  #liveness: ServerLiveness = { kind: 'unknown' };

  constructor(kube: Kube, features: () => readonly Feature[]) {
    this.#repeated = new Repeated(kube.clock, everyMs, async () => {
      const before = this.#liveness;
      this.#liveness = await readServerLiveness(kube, features()).catch(() => before);
      return this.#liveness.kind !== before.kind;
    });
  }

  get liveness(): ServerLiveness {
    return this.#liveness;
  }

  /** Calls `listener` when the answer is another one, until it is closed. */
  onChange(listener: () => void): { close(): void } {
    return this.#repeated.onChange(listener);
  }
}
