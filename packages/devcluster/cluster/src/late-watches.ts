import { type Clock, sleep, type Transport, type WatchFrame } from '@slipway/kube';
import type { ComponentName } from './component-gates.js';

/** How late components hear of changes, by their names. */
export type WatchDelays = Readonly<Partial<Record<ComponentName, () => number>>>;

/** The same API, of whose changes one hears late: `delayMs` is asked for each event, which keep their order. */
export function lateWatches(transport: Transport, delayMs: () => number, clock: Clock): Transport {
  return {
    request: (request) => transport.request(request),
    async *stream(request, signal) {
      const stop = new AbortController();
      const either = AbortSignal.any([signal, stop.signal]);
      const arrived = new Arrivals(() => clock.monotonicMs() + delayMs());
      void arrived.takeIn(transport.stream(request, either));
      try {
        for (let next = await arrived.next(); next; next = await arrived.next()) {
          const leftMs = next.dueMs - clock.monotonicMs();
          if (leftMs > 0) await sleep(clock, leftMs, either);
          yield next.frame;
        }
      } catch (error) {
        if (!signal.aborted) throw error;
      } finally {
        stop.abort();
      }
    },
  };
}

interface Arrival {
  readonly frame: WatchFrame;
  readonly dueMs: number;
}

/** What has come of a watch and is not told yet. */
class Arrivals {
  readonly #dueMs: () => number;
  readonly #waiting: Arrival[] = [];
  #end: { readonly error?: unknown } | undefined;
  #wake: () => void = () => {};

  constructor(dueMs: () => number) {
    this.#dueMs = dueMs;
  }

  async takeIn(frames: AsyncIterable<WatchFrame>): Promise<void> {
    try {
      for await (const frame of frames) {
        this.#waiting.push({ frame, dueMs: this.#dueMs() });
        this.#wake();
      }
      this.#end = {};
    } catch (error) {
      this.#end = { error };
    }
    this.#wake();
  }

  /** Undefined after the last. @throws what the watch ended with */
  async next(): Promise<Arrival | undefined> {
    while (this.#waiting.length === 0 && !this.#end) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const next = this.#waiting.shift();
    if (!next && this.#end?.error !== undefined) throw this.#end.error;
    return next;
  }
}
