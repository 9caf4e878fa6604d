import {
  type Clock,
  type KubeRequest,
  type KubeResponse,
  sleep,
  type Transport,
  UnreachableError,
} from '@slipway/kube';

/** How badly the API server answers, each as a share of all requests from 0 to 1. */
export interface Faults {
  /** Not carried out: no answer, a conflict, too many requests, or an internal error. */
  readonly fails: number;
  /** Carried out, and the answer does not arrive. Never so with pods that are created: they could not be told from others. */
  readonly losesAnswer: number;
  /** Carried out up to 3 s later. */
  readonly slow: number;
}

export const noFaults: Faults = { fails: 0, losesAnswer: 0, slow: 0 };

/** A way to the API server on which things go wrong, as often as is said at the time. */
export class FaultyApi {
  faults: Faults = noFaults;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #streams = new Set<AbortController>();

  /** `random` gives numbers from 0 up to 1. */
  constructor(clock: Clock, random: () => number) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Every watch that is open breaks. */
  breakWatches(): void {
    for (const stream of this.#streams) stream.abort(new UnreachableError('the watch was broken'));
  }

  through(transport: Transport): Transport {
    const api = this;
    return {
      request: (request) => api.#request(transport, request),
      async *stream(request, signal) {
        const broken = new AbortController();
        api.#streams.add(broken);
        try {
          yield* transport.stream(request, AbortSignal.any([signal, broken.signal]));
          broken.signal.throwIfAborted();
        } finally {
          api.#streams.delete(broken);
        }
      },
    };
  }

  async #request(transport: Transport, request: KubeRequest): Promise<KubeResponse> {
    const { fails, losesAnswer, slow } = this.faults;
    if (this.#random() < slow) await sleep(this.#clock, this.#random() * 3_000, request.signal);
    if (this.#random() < fails) return this.#failure(request);
    const answer = await transport.request(request);
    const mayLose = request.method !== 'POST' || !/\/pods$/.test(request.path);
    if (mayLose && this.#random() < losesAnswer) throw new UnreachableError('the answer was lost');
    return answer;
  }

  #failure({ method }: KubeRequest): KubeResponse {
    const kinds = method === 'GET' ? failures.filter(({ reason }) => reason !== 'Conflict') : failures;
    const chosen = kinds[Math.floor(this.#random() * kinds.length)];
    if (!chosen?.code) throw new UnreachableError('the API server does not answer');
    const { code, reason } = chosen;
    const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code, reason, message: reason };
    return { status: code, headers: {}, body: status };
  }
}

const failures = [
  { code: 0, reason: '' },
  { code: 409, reason: 'Conflict' },
  { code: 429, reason: 'TooManyRequests' },
  { code: 500, reason: 'InternalError' },
] as const;

/** Numbers from 0 up to 1 that follow from the seed. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
