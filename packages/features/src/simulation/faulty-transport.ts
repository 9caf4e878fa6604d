import {
  type Clock,
  failureStatus,
  type KubeRequest,
  type KubeResponse,
  type Transport,
  UnreachableError,
  type WatchFrame,
} from '@slipway/kube';
import { FrameQueue } from '@slipway/kube/testing';

/** What happens to one request. */
export type Fault =
  /** Refused, with this HTTP status; nothing is done. */
  | { readonly kind: 'refused'; readonly status: number }
  /** Done, and no answer comes. */
  | { readonly kind: 'lost-answer' }
  /** Under way for so long. It arrives even if its sender has given up or died meanwhile. */
  | { readonly kind: 'late'; readonly ms: number };

/** An open watch, what it showed last, and when all of it has arrived. */
interface Stream {
  readonly queue: FrameQueue;
  readonly recent: WatchFrame[];
  clearMs: number;
}

/** A way to an API server that loses, delays and repeats things, and leads nowhere once its process is dead. */
export class FaultyTransport implements Transport {
  readonly #inner: Transport;
  readonly #clock: Clock;
  readonly #streams = new Set<Stream>();
  #faults: { readonly fault: Fault; readonly concerns: (request: KubeRequest) => boolean }[] = [];
  #isDead = false;
  #isCutOff = false;
  /** How much later than it happens a change is seen. */
  lagMs = 0;
  /** What a request is turned into on its way; for taking a safeguard away. */
  rewrite: (request: KubeRequest) => KubeRequest = (request) => request;

  constructor(inner: Transport, clock: Clock) {
    this.#inner = inner;
    this.#clock = clock;
  }

  /** The next request that it concerns fails; any when absent. */
  failNext(fault: Fault, concerns: (request: KubeRequest) => boolean = () => true): void {
    this.#faults.push({ fault, concerns });
  }

  /** Nothing gets through in either direction. */
  cutOff(): void {
    this.#isCutOff = true;
    for (const { queue } of this.#streams) queue.end(new UnreachableError('no route to the API server'));
  }

  /** Everything works from now on. */
  healed(): void {
    this.#isCutOff = false;
    this.#faults = [];
    this.lagMs = 0;
  }

  die(): void {
    this.#isDead = true;
  }

  /** Every watch shows once more what it showed last, in the same order. */
  replay(): void {
    for (const stream of this.#streams) for (const frame of [...stream.recent]) this.#deliver(stream, frame);
  }

  async request(request: KubeRequest): Promise<KubeResponse> {
    if (this.#isDead) return never();
    request.signal?.throwIfAborted();
    if (this.#isCutOff) throw new UnreachableError('no route to the API server');
    const at = this.#faults.findIndex(({ concerns }) => concerns(request));
    const fault = at < 0 ? undefined : this.#faults.splice(at, 1)[0]?.fault;
    if (fault?.kind === 'refused') return refused(fault.status);
    const { signal: _stays, ...sent } = this.rewrite(request);
    if (fault?.kind !== 'late') return this.#answer(await this.#inner.request(sent), fault);
    const landed = new Promise<KubeResponse>((resolve, reject) => {
      this.#clock.after(fault.ms, () => void this.#inner.request(sent).then(resolve, reject));
    });
    return this.#answer(await Promise.race([landed, aborted(request.signal)]), fault);
  }

  async *stream(request: KubeRequest, signal: AbortSignal): AsyncIterable<WatchFrame> {
    if (this.#isDead) return never();
    if (this.#isCutOff) throw new UnreachableError('no route to the API server');
    const stream: Stream = { queue: new FrameQueue(), recent: [], clearMs: 0 };
    const ended = new AbortController();
    const stop = () => {
      ended.abort();
      stream.queue.end();
    };
    signal.addEventListener('abort', stop, { once: true });
    this.#streams.add(stream);
    void this.#pump(request, stream, ended.signal);
    try {
      yield* stream.queue;
    } finally {
      ended.abort();
      signal.removeEventListener('abort', stop);
      this.#streams.delete(stream);
    }
  }

  async #pump(request: KubeRequest, stream: Stream, signal: AbortSignal): Promise<void> {
    try {
      for await (const frame of this.#inner.stream(request, signal)) this.#deliver(stream, frame);
      stream.queue.end();
    } catch (error) {
      stream.queue.end(error as Error);
    }
  }

  #deliver(stream: Stream, frame: WatchFrame): void {
    const nowMs = this.#clock.monotonicMs();
    stream.clearMs = Math.max(stream.clearMs, nowMs + this.lagMs);
    if (frame.type !== 'ERROR') stream.recent.push(frame);
    if (stream.recent.length > 3) stream.recent.shift();
    const show = () => {
      if (!this.#isDead) stream.queue.push(frame);
    };
    if (stream.clearMs <= nowMs) show();
    else this.#clock.after(stream.clearMs - nowMs, show);
  }

  #answer(response: KubeResponse, fault: Fault | undefined): KubeResponse | Promise<KubeResponse> {
    if (this.#isDead) return never();
    if (fault?.kind === 'lost-answer' || this.#isCutOff) throw new UnreachableError('the connection broke');
    return response;
  }
}

/** What the dead see. */
function never(): Promise<never> {
  return new Promise(() => {});
}

function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

function refused(code: number): KubeResponse {
  const reason = { 409: 'Conflict', 410: 'Expired', 429: 'TooManyRequests' }[code] ?? 'InternalError';
  const details = code === 429 ? { details: { retryAfterSeconds: 2 } } : {};
  const message = `refused with ${code}`;
  return { status: code, headers: {}, body: failureStatus({ code, reason, message, ...details }) };
}
