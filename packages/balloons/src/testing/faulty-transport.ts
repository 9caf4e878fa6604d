import {
  type Clock,
  failureStatus,
  type KubeRequest,
  type KubeResponse,
  sleep,
  type Transport,
  UnreachableError,
  type WatchFrame,
} from '@slipway/kube';

/** What happens to a request that writes. */
export type Fault =
  /** Refused, with this HTTP status; nothing is done. */
  | { readonly kind: 'refused'; readonly status: number; readonly message?: string }
  /** Done, and no answer comes. */
  | { readonly kind: 'lost-answer' }
  | { readonly kind: 'late'; readonly ms: number };

/** A way to an API server on which single requests fail as asked for, and all of them once its process is dead. */
export class FaultyTransport implements Transport {
  readonly #inner: Transport;
  readonly #clock: Clock;
  #faults: { readonly fault: Fault; readonly concerns: (request: KubeRequest) => boolean }[] = [];
  #isDead = false;
  /** Requests that wrote something, or tried to. */
  readonly writes: KubeRequest[] = [];
  /** Called before a write is done. */
  beforeWrite: ((request: KubeRequest) => void) | undefined;
  /** Called after a write was done, before its answer comes. */
  afterWrite: ((request: KubeRequest) => void) | undefined;

  constructor(inner: Transport, clock: Clock) {
    this.#inner = inner;
    this.#clock = clock;
  }

  /** The next write that it concerns fails; any when absent. */
  failNext(fault: Fault, concerns: (request: KubeRequest) => boolean = () => true): void {
    this.#faults.push({ fault, concerns });
  }

  /** What was to fail does not any more. */
  healed(): void {
    this.#faults = [];
  }

  die(): void {
    this.#isDead = true;
  }

  async request(request: KubeRequest): Promise<KubeResponse> {
    if (this.#isDead) return never();
    if (request.method === 'GET') return this.#answer(await this.#inner.request(request));
    this.writes.push(request);
    const at = this.#faults.findIndex(({ concerns }) => concerns(request));
    const [found] = at < 0 ? [] : this.#faults.splice(at, 1);
    if (found?.fault.kind === 'refused') return refused(found.fault);
    if (found?.fault.kind === 'late') await sleep(this.#clock, found.fault.ms, request.signal ?? undefined);
    if (this.#isDead) return never();
    this.beforeWrite?.(request);
    const answer = await this.#inner.request(request);
    this.afterWrite?.(request);
    if (found?.fault.kind === 'lost-answer') throw new UnreachableError('the connection broke');
    return this.#answer(answer);
  }

  async *stream(request: KubeRequest, signal: AbortSignal): AsyncIterable<WatchFrame> {
    for await (const frame of this.#inner.stream(request, signal)) {
      if (this.#isDead) return;
      yield frame;
    }
  }

  /** Whoever died while an answer was on its way does not get it. */
  #answer(response: KubeResponse): KubeResponse | Promise<KubeResponse> {
    return this.#isDead ? never() : response;
  }
}

/** What the dead see. */
function never(): Promise<never> {
  return new Promise(() => {});
}

function refused({ status: code, message = 'try again' }: Extract<Fault, { kind: 'refused' }>): KubeResponse {
  const reason = { 403: 'Forbidden', 409: 'Conflict', 422: 'Invalid', 429: 'TooManyRequests' }[code] ?? 'InternalError';
  return { status: code, headers: {}, body: failureStatus({ code, reason, message }) };
}
