import type { Clock, Timer } from '@slipway/kube';

interface Download {
  leftBytes: number;
  readonly done: () => void;
}

/** The link of a node to registries, shared alike by all that is downloaded at a time. */
export class SimulatedLink {
  readonly #clock: Clock;
  readonly #bytesPerMs: number;
  readonly #downloads = new Set<Download>();
  #sinceMs = 0;
  #timer: Timer | undefined;

  constructor(clock: Clock, bytesPerSecond: number) {
    this.#clock = clock;
    this.#bytesPerMs = bytesPerSecond / 1000;
  }

  /** Resolves when so many bytes are there. Rejects with the reason of the signal. */
  download(bytes: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!Number.isFinite(this.#bytesPerMs) || bytes === 0) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const stop = () => {
        this.#change(() => this.#downloads.delete(download));
        reject(signal.reason);
      };
      const done = () => {
        signal.removeEventListener('abort', stop);
        resolve();
      };
      const download: Download = { leftBytes: bytes, done };
      signal.addEventListener('abort', stop, { once: true });
      this.#change(() => this.#downloads.add(download));
    });
  }

  /** Brings every download up to now, then changes how many share the link. */
  #change(change: () => void): void {
    const nowMs = this.#clock.monotonicMs();
    const each = ((nowMs - this.#sinceMs) * this.#bytesPerMs) / Math.max(1, this.#downloads.size);
    this.#sinceMs = nowMs;
    for (const download of this.#downloads) {
      download.leftBytes -= each;
      // What is less than a byte is an error of rounding.
      if (download.leftBytes >= 1) continue;
      this.#downloads.delete(download);
      download.done();
    }
    change();
    this.#timer?.cancel();
    const nextBytes = Math.min(...[...this.#downloads].map(({ leftBytes }) => leftBytes));
    if (!Number.isFinite(nextBytes)) return;
    const inMs = Math.ceil((nextBytes * this.#downloads.size) / this.#bytesPerMs);
    this.#timer = this.#clock.after(inMs, () => this.#change(() => {}));
  }
}
