import type { Clock, KubeRequest, KubeResponse, Timer, Transport } from '@slipway/kube';

/** This server was out of touch for so long that others may have taken over. */
export class FencedError extends Error {
  override readonly name = 'FencedError';

  constructor() {
    super('the identity lease of this server was not renewed in time, so that others may lead now');
  }
}

/** Nothing new is written this long after the last renewal was sent: well before others count the server out. */
const fencedAfterMs = 10_000;
/** Writes that have no answer by then are given up. */
const abortAfterMs = 12_000;

/**
 * Keeps a server that may have been taken for dead from writing. Judged by the
 * moment the last renewal left, on its own monotonic clock: a machine that was
 * asleep finds out by itself, before it hears of anything.
 */
export class Fence {
  readonly #clock: Clock;
  readonly #underWay = new Set<AbortController>();
  #sentMs: number | undefined;
  #abort: Timer | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isUp(): boolean {
    return this.#sentMs === undefined || this.#clock.monotonicMs() - this.#sentMs > fencedAfterMs;
  }

  /** A renewal has succeeded that was sent at `sentMs`. */
  renewed(sentMs: number): void {
    this.#sentMs = sentMs;
    this.#abort?.cancel();
    this.#abort = this.#clock.after(sentMs + abortAfterMs - this.#clock.monotonicMs(), () => this.#giveUp());
  }

  /** For good: the server stops. */
  close(): void {
    this.#sentMs = undefined;
    this.#abort?.cancel();
    this.#giveUp();
  }

  /** A way to the API server on which nothing is written while the fence is up. */
  around(transport: Transport): Transport {
    return {
      request: async (request): Promise<KubeResponse> => {
        if (storesNothing(request)) return await transport.request(request);
        if (this.isUp) throw new FencedError();
        const giveUp = new AbortController();
        const stop = () => giveUp.abort(request.signal?.reason);
        if (request.signal?.aborted) stop();
        request.signal?.addEventListener('abort', stop, { once: true });
        this.#underWay.add(giveUp);
        try {
          return await transport.request({ ...request, signal: giveUp.signal });
        } finally {
          this.#underWay.delete(giveUp);
          request.signal?.removeEventListener('abort', stop);
        }
      },
      stream: (request, signal) => transport.stream(request, signal),
    };
  }

  #giveUp(): void {
    for (const each of this.#underWay) each.abort(new FencedError());
  }
}

/** Whether a request only reads. Access reviews are sent by POST, and a server asks for its rights as soon as it starts. */
function storesNothing({ method, path }: KubeRequest): boolean {
  return method === 'GET' || path.startsWith('/apis/authorization.k8s.io/');
}
