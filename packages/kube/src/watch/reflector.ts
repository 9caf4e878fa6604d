import type { ResourceClient, Selection } from '../client/resource-client.js';
import { type Clock, sleep } from '../clock/clock.js';
import { type Logger, silentLog } from '../log/logger.js';
import { FrameError } from '../transport/frame-error.js';
import type { KubeObject } from '../transport/objects.js';
import { isExpired, isStatus } from '../transport/responses.js';
import { StatusError } from '../transport/status.js';
import type { WatchFrame } from '../transport/transport.js';
import { Backoff } from './backoff.js';

/** Where a reflector puts what it sees. Calls come one at a time and must not throw. */
export interface ReflectorSink<T> {
  /** What to keep of an object of a list: asked page by page, so that a list is never in memory as a whole. All when absent. */
  keep?(object: T): T;
  /** What there is now, all of it: whatever is not among `items` is gone. */
  replace(items: readonly T[]): void;
  /** An object was created or changed. */
  put(object: T): void;
  /** An object is gone; this was its last state. */
  remove(object: T): void;
}

export interface ReflectorOptions<T extends KubeObject> {
  readonly client: ResourceClient<T>;
  readonly selection?: Selection;
  readonly sink: ReflectorSink<T>;
  readonly clock: Clock;
  /** Numbers from 0 up to 1, for jitter. */
  readonly random: () => number;
  readonly log?: Logger;
  /** Objects in one page of a list; 500 when absent. */
  readonly pageSize?: number;
}

const minBackoffMs = 800;
const maxBackoffMs = 30_000;
/** A stream open this long counts as healthy. */
const healthyMs = 60_000;
/** A stream that ends sooner without a word is a failure, not a clean end: else a broken server is asked in a hot loop. */
const briefMs = 1_000;
/** How long after its own time limit a silent stream is given up as dead. */
const livenessGraceMs = 30_000;

/**
 * Keeps a sink equal to what a server has: lists in pages, then watches from that
 * revision, without end. Whatever goes wrong is tried again: a broken stream goes on
 * from the last revision seen, a revision that is gone and anything that could not
 * be read start from a new list, so no change is skipped.
 *
 * Invariant: the revision moves only to that of a list, of an object the sink was
 * given, or of a bookmark.
 */
export class Reflector<T extends KubeObject> {
  readonly #client: ResourceClient<T>;
  readonly #selection: Selection;
  readonly #sink: ReflectorSink<T>;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #log: Logger;
  readonly #backoff: Backoff;
  readonly #pageSize: number;
  /** Watch from here; undefined = list first. */
  #revision: string | undefined;
  /** Pages are read in one piece after their snapshot was lost between two of them. */
  #unpaged = false;

  constructor(options: ReflectorOptions<T>) {
    this.#client = options.client;
    this.#selection = options.selection ?? {};
    this.#sink = options.sink;
    this.#clock = options.clock;
    this.#random = options.random;
    this.#log = options.log ?? silentLog;
    this.#pageSize = options.pageSize ?? 500;
    this.#backoff = new Backoff({ minMs: minBackoffMs, maxMs: maxBackoffMs, random: this.#random });
  }

  /** Resolves when `signal` aborts, and only then. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const waitMs = await this.#round(signal);
      if (waitMs > 0) await sleep(this.#clock, waitMs, signal).catch(() => {});
    }
  }

  /** Lists if need be, watches until the stream ends, and says how long to wait before the next round. */
  async #round(signal: AbortSignal): Promise<number> {
    try {
      this.#revision ??= await this.#list(signal);
      return await this.#watch(this.#revision, signal);
    } catch (error) {
      if (signal.aborted) return 0;
      if (mustRelist(error)) this.#revision = undefined;
      return this.#failed(error);
    }
  }

  #failed(error: unknown): number {
    const isFirst = this.#backoff.isFresh;
    const backoffMs = this.#backoff.next();
    // History ends for many informers at the same moment; they only should not all list at once.
    const waitMs = isFirst && isExpired(error) ? this.#random() * minBackoffMs : backoffMs;
    const askedMs = error instanceof StatusError ? (error.status.details?.retryAfterSeconds ?? 0) * 1000 : 0;
    // A resource goes with its definition, and whoever watches it is told a moment later.
    const level = isFirst && error instanceof StatusError && error.code === 404 ? 'debug' : 'warn';
    this.#log[level]('watch interrupted, trying again', { resource: this.#client.resource.plural, error, waitMs });
    return Math.min(maxBackoffMs, Math.max(waitMs, askedMs));
  }

  async #list(signal: AbortSignal): Promise<string> {
    const items: T[] = [];
    try {
      let revision = '';
      const pages = this.#unpaged
        ? [await this.#client.list({ ...this.#selection, signal })]
        : this.#client.pages({ ...this.#selection, limit: this.#pageSize, signal });
      for await (const page of pages) {
        for (const item of page.items) items.push(this.#sink.keep?.(item) ?? item);
        revision = page.resourceVersion;
      }
      if (revision === '') throw new FrameError('the list carries no resourceVersion');
      if (signal.aborted) throw signal.reason;
      this.#unpaged = false;
      this.#sink.replace(items);
      return revision;
    } catch (error) {
      if (isExpired(error)) this.#unpaged = true;
      throw error;
    }
  }

  async #watch(revision: string, signal: AbortSignal): Promise<number> {
    const timeoutSeconds = 300 + Math.floor(this.#random() * 300);
    const openedAtMs = this.#clock.monotonicMs();
    const stream = new AbortController();
    if (signal.aborted) return 0;
    const stop = () => stream.abort(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    const liveness = this.#clock.after(timeoutSeconds * 1000 + livenessGraceMs, () => stream.abort());
    const healthy = this.#clock.after(healthyMs, () => this.#backoff.reset());
    let seen = 0;
    try {
      const options = { ...this.#selection, resourceVersion: revision, bookmarks: true, timeoutSeconds };
      for await (const frame of this.#client.watch(options, stream.signal)) {
        if (signal.aborted) return 0;
        this.#take(frame);
        this.#backoff.reset();
        seen++;
      }
    } finally {
      signal.removeEventListener('abort', stop);
      liveness.cancel();
      healthy.cancel();
    }
    if (seen > 0 || stream.signal.aborted || this.#clock.monotonicMs() - openedAtMs >= briefMs) return 0;
    return this.#failed(new Error('the watch ended at once'));
  }

  #take(frame: WatchFrame): void {
    if (frame.type === 'ERROR') throw errorOfFrame(frame);
    const revision = frame.object?.metadata?.resourceVersion;
    if (!revision) throw new FrameError(`a watch event of type ${frame.type} carries no resourceVersion`);
    const object = frame.object as T;
    if (frame.type !== 'BOOKMARK' && !object.metadata.name) throw new FrameError('a watch event names no object');
    switch (frame.type) {
      case 'ADDED':
      case 'MODIFIED':
        this.#sink.put(object);
        break;
      case 'DELETED':
        this.#sink.remove(object);
        break;
      case 'BOOKMARK':
        break;
      default:
        throw new FrameError(`a watch event has the unknown type ${JSON.stringify(frame.type)}`);
    }
    this.#revision = revision;
  }
}

/** Only where the stream or the way to it broke is the revision still good; what was refused or garbled is listed anew. */
function mustRelist(error: unknown): boolean {
  if (error instanceof FrameError || isExpired(error)) return true;
  if (!(error instanceof StatusError)) return false;
  // A server that was set back to an older state does not know the revision yet, and may never do.
  const isAhead = error.status.details?.causes?.some(({ reason }) => reason === 'ResourceVersionTooLarge');
  // Without the right to watch, a list at each attempt keeps the sink a little behind.
  return isAhead === true || [400, 403, 404, 422].includes(error.code);
}

/** The error an ERROR frame stands for. One that is not about history is listed anew too: the event behind it is lost. */
function errorOfFrame({ object }: WatchFrame): Error {
  if (!isStatus(object)) return new FrameError('a watch event of type ERROR carries no Status');
  const refused = new StatusError(object);
  return isExpired(refused)
    ? refused
    : new FrameError(`the server ended the watch: ${refused.message}`, { cause: refused });
}
