import type { ApiHandler } from '@slipway/api-server/request/request';

/** Turns of the event loop without a request after which a cluster is at rest. */
const quietTurns = 4;
/** A request that takes longer waits for time to pass, not for a disk; in the time of this machine. */
const patienceMs = 2_000;

/**
 * Detects when a cluster is idle: no request is in flight and none follows. Only then
 * may time be stepped, because the result depends on the order.
 */
export class Activity {
  #asked = 0;
  #answered = 0;

  /** The same server, its requests noticed. */
  noticing<A extends ApiHandler>(api: A): A {
    const handle: A['handle'] = async (request) => {
      this.#asked += 1;
      try {
        return await api.handle(request);
      } finally {
        this.#answered += 1;
      }
    };
    return { ...api, handle };
  }

  /** Resolves at rest. `monotonicMs` is the time of this machine. */
  async rest(monotonicMs: () => number): Promise<void> {
    let quietFor = 0;
    let seen = this.#asked + this.#answered;
    let sinceMs = monotonicMs();
    while (quietFor < quietTurns) {
      await new Promise((resolve) => setImmediate(resolve));
      const now = this.#asked + this.#answered;
      const isUnderWay = this.#asked > this.#answered && monotonicMs() - sinceMs < patienceMs;
      quietFor = now === seen && !isUnderWay ? quietFor + 1 : 0;
      if (now !== seen) sinceMs = monotonicMs();
      seen = now;
    }
  }
}
