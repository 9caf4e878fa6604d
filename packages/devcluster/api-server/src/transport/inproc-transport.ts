import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { startInSlices } from '@slipway/api-machinery/event-loop/run-in-slices';
import type { User } from '@slipway/api-machinery/identity/user';
import {
  type KubeObject,
  type KubeRequest,
  type KubeResponse,
  parseJson,
  type Status,
  StatusError,
  stringifyJson,
  type Transport,
  type WatchFrame,
} from '@slipway/kube';
import type { ApiAnswer, ApiHandler, ApiRequest, EncodedFrame, JsonPayload, RequestBody } from '../request/request.js';
import { wholeText } from '../response/payloads.js';

export interface InprocOptions {
  /** Sends everything through JSON, both ways, as a socket would: for tests. */
  readonly paranoid?: boolean;
  /**
   * Lists and watches leave managed fields out, for components that keep what they get: they are often as much as the
   * rest. An update without them keeps the ownership that is stored, as any API server has it.
   */
  readonly lean?: boolean;
}

/**
 * Reaches an API server in the same process, as `user`, through the very function
 * that the HTTPS binding calls. What comes back may be the stored object itself:
 * it is frozen.
 */
export function inprocTransport(
  api: ApiHandler,
  user: User,
  { paranoid = false, lean = false }: InprocOptions = {},
): Transport {
  const ask = (request: KubeRequest): Promise<ApiAnswer> => {
    request.signal?.throwIfAborted();
    const contentType = request.contentType ?? 'application/json';
    const body = request.body === undefined ? {} : { body: bodyOf(request.body, paranoid) };
    const headers = {
      accept: 'application/json',
      'content-type': contentType,
      'user-agent': 'slipway',
      ...request.headers,
    };
    const asked: ApiRequest = { method: request.method, path: request.path, headers, user, ...body };
    return api.handle(asked);
  };

  return {
    async request(request): Promise<KubeResponse> {
      const { status, headers, payload } = await ask(request);
      // As over a socket: an answer after the caller stopped waiting is dropped.
      request.signal?.throwIfAborted();
      if (!payload) return { status, headers, body: undefined };
      if (payload.kind === 'text') return { status, headers, body: payload.text };
      if (payload.kind === 'bytes') return { status, headers, body: payload.bytes };
      if (payload.kind === 'stream') {
        const said = await text(payload.body);
        return { status, headers, body: isJson(headers) ? parseJson(said) : said };
      }
      if (payload.kind === 'json') {
        const body = receivedBody(payload.json, paranoid, lean);
        return { status, headers, body: body instanceof Promise ? await body : body };
      }
      throw new TypeError(`${request.path} is a watch: open it with stream()`);
    },

    async *stream(request, signal): AsyncGenerator<WatchFrame> {
      if (signal.aborted) return;
      const { status, payload } = await ask(request);
      if (status === 200 && payload?.kind === 'stream') {
        yield* framesOf(payload.body, signal);
        return;
      }
      if (payload?.kind !== 'watch') throw refusal(status, payload);
      const queue = new FrameQueue(paranoid, lean);
      const watch = payload.open(queue);
      const stop = () => queue.end();
      signal.addEventListener('abort', stop, { once: true });
      try {
        while (!signal.aborted) {
          const ready = queue.ready();
          if (ready) await ready;
          const frame = queue.take();
          if (!frame || signal.aborted) return;
          yield frame;
        }
      } finally {
        signal.removeEventListener('abort', stop);
        watch.close();
      }
    },
  };
}

/** The events of a watch that another server answers. */
async function* framesOf(body: Readable, signal: AbortSignal): AsyncGenerator<WatchFrame> {
  const lines = createInterface({ input: body, signal });
  try {
    for await (const line of lines) yield parseJson(line) as WatchFrame;
  } finally {
    body.destroy();
  }
}

function isJson(headers: ApiAnswer['headers']): boolean {
  return /^application\/json\b/.test(headers['content-type'] ?? '');
}

/** Frames between the server, which hands them over at once, and a reader that takes its time. */
class FrameQueue {
  readonly #paranoid: boolean;
  readonly #lean: boolean;
  #frames: EncodedFrame[] = [];
  #at = 0;
  #ended = false;
  #wake: (() => void) | undefined;

  constructor(paranoid: boolean, lean: boolean) {
    this.#paranoid = paranoid;
    this.#lean = lean;
  }

  event(frame: EncodedFrame): void {
    this.#frames.push(frame);
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  /** The next frame if it is there. */
  take(): WatchFrame | undefined {
    const frame = this.#frames[this.#at];
    if (!frame) return undefined;
    this.#at++;
    if (this.#at === this.#frames.length) {
      this.#frames = [];
      this.#at = 0;
    }
    return this.#read(frame);
  }

  /** What to wait for until `take` has the next frame, or has none because there are no more. Undefined when it has it now. */
  ready(): Promise<void> | undefined {
    const frame = this.#frames[this.#at];
    if (frame) return this.#paranoid ? undefined : frame.parseIfLarge?.();
    return this.#ended ? undefined : this.#arrival();
  }

  async #arrival(): Promise<void> {
    while (this.#at >= this.#frames.length && !this.#ended) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
    const parsing = this.ready();
    if (parsing) await parsing;
  }

  #read(frame: EncodedFrame): WatchFrame {
    if (this.#paranoid) return parseJson(frame.line()) as WatchFrame;
    return {
      type: frame.type as WatchFrame['type'],
      object: ((this.#lean && frame.lean?.()) || frame.object()) as KubeObject,
    };
  }
}

function bodyOf(value: unknown, paranoid: boolean): RequestBody {
  return paranoid ? { bytes: Buffer.from(stringifyJson(value)) } : { value };
}

/** The objects of a list are parsed in slices: what thousands of them take, others would wait for. */
function receivedBody(payload: JsonPayload, paranoid: boolean, lean: boolean): unknown | Promise<unknown> {
  if (paranoid) return parseJson(wholeText(payload));
  return payload.reading ? startInSlices(payload.reading(lean)) : payload.value();
}

function refusal(status: number, payload: ApiAnswer['payload']): Error {
  if (payload?.kind === 'json') {
    const value = payload.json.value() as Status;
    if (value?.kind === 'Status') return new StatusError(value);
  }
  return new Error(`the server answered ${status} where a watch was asked for`);
}
