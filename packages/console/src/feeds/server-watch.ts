import { type Feature, readServerLiveness, type ServerLiveness } from '@slipway/features';
import { type Kube, sleep } from '@slipway/kube';

const everyMs = 5_000;

/** Whether feature servers act on Features; checked every few seconds while a page wants to know. */
export class ServerWatch {
  readonly #kube: Kube;
  readonly #features: () => readonly Feature[];
  readonly #listeners = new Set<() => void>();
  #liveness: ServerLiveness = { kind: 'unknown' };
  #isLooking = false;

  constructor(kube: Kube, features: () => readonly Feature[]) {
    this.#kube = kube;
    this.#features = features;
  }

  get liveness(): ServerLiveness {
    return this.#liveness;
  }

  /** Calls `listener` when the answer is another one, until it is closed. */
  onChange(listener: () => void): { close(): void } {
    this.#listeners.add(listener);
    if (!this.#isLooking) void this.#look();
    return { close: () => void this.#listeners.delete(listener) };
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    while (this.#listeners.size > 0) {
      const liveness = await readServerLiveness(this.#kube, this.#features()).catch(() => this.#liveness);
      const isNews = liveness.kind !== this.#liveness.kind;
      this.#liveness = liveness;
      if (isNews) for (const listener of [...this.#listeners]) listener();
      await sleep(this.#kube.clock, everyMs);
    }
    this.#isLooking = false;
  }
}
