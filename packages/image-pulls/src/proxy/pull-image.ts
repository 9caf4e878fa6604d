import { randomUUID } from 'node:crypto';
import type { OutgoingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { framed, grpcCode, timeoutMs, unframed } from '../cri/grpc.js';
import { hasDigest, printable, registryOf } from '../cri/image-reference.js';
import { imageStatusRequest, readImageStatusResponse } from '../cri/image-status.js';
import { type PullImageRequest, readPullImageRequest } from '../cri/pull-image-request.js';
import type { PullClock } from '../limiter/clock.js';
import type { OnFull } from '../limiter/on-full.js';
import type { PullLimiter } from '../limiter/pull-limiter.js';
import { PullRefusedError } from '../limiter/pull-refused-error.js';
import type { Presence, RefusalReason } from '../limiter/queue-state.js';
import type { RuntimeConnection } from '../runtime/runtime-connection.js';
import { RuntimeAwayError, type UnaryAnswer, unaryCall } from '../runtime/unary-call.js';
import { answerStatus, answerWith } from './answer.js';
import { deadlineOver, hangUpOf } from './hang-up.js';
import { BadOptionError, pullOption } from './pull-option.js';

export interface PullImageDeps {
  readonly limiter: PullLimiter<UnaryAnswer>;
  readonly runtime: RuntimeConnection;
  readonly clock: PullClock;
  /** Makes the key of a call; see `pullKeys`. */
  readonly keyOf: (request: PullImageRequest) => string;
  /** Read for every call, so that a reload counts from the next one on. */
  readonly settings: () => PullImageSettings;
  /** Headers that every answer gets. */
  readonly more: () => OutgoingHttpHeaders;
  /** A request that could not be read; it goes on as it is, with a place of its own. */
  readonly onUndecodable: () => void;
}

export interface PullImageSettings {
  /** For calls that carry no option. */
  readonly onFull: OnFull;
  /** For calls that do. */
  readonly retry: OnFull;
  /** `verify` lets the runtime verify images that are there beside the places; `place` makes no difference. */
  readonly present: 'verify' | 'place';
  /** How long an image counts as surely there after a pull of it succeeded. */
  readonly recentMs: number;
}

/** Credentials are small; a request above this is no pull. */
const largestRequestBytes = 1 << 20;
const statusTimeoutMs = 2_000;
const mostRecent = 4_096;

/**
 * Serves PullImage: takes a place, then lets the container runtime do the pull.
 *
 * The request travels on unread and unchanged; registry credentials in it are
 * never logged. The place is given back when the call ends, however it ends.
 * The deadline of a call is held here, because a pull may have several callers.
 */
export function pullImage(deps: PullImageDeps): (stream: ServerHttp2Stream, headers: OutgoingHttpHeaders) => void {
  const recent = new Map<string, number>();
  const inTurn = turns();
  return (stream, headers) => {
    const hangUp = hangUpOf(stream, deps.clock, timeoutMs(textOf(headers['grpc-timeout'])));
    const askedAtMs = deps.clock.monotonicMs();
    stream.on('error', () => {});
    serve(deps, recent, { stream, headers, hangUp, askedAtMs, inTurn }).then(
      (answer) => answer && answerWith(stream, answer, deps.more()),
      (error: unknown) => answerError(stream, error, deps.more()),
    );
  };
}

interface Call {
  readonly stream: ServerHttp2Stream;
  readonly headers: OutgoingHttpHeaders;
  readonly hangUp: AbortSignal;
  readonly askedAtMs: number;
  readonly inTurn: ReturnType<typeof turns>;
}

/** Lets calls that look something up on their way go on in the order in which they came, whoever is quicker. */
function turns(): <T>(lookup: Promise<T>) => Promise<T> {
  let before: Promise<unknown> = Promise.resolve();
  return async (lookup) => {
    const earlier = before;
    before = Promise.allSettled([earlier, lookup]);
    await earlier;
    return await lookup;
  };
}

async function serve(
  deps: PullImageDeps,
  recent: Map<string, number>,
  { stream, headers, hangUp, askedAtMs, inTurn }: Call,
): Promise<UnaryAnswer> {
  const settings = deps.settings();
  const option = pullOption(headers as Record<string, string | string[] | undefined>, settings);
  const body = await bodyOf(stream);
  hangUp.throwIfAborted();
  const request = decoded(body);
  if (!request) deps.onUndecodable();
  const path = String(headers[':path']);
  const { 'grpc-timeout': _, ...sent } = headers;
  const run = (signal: AbortSignal) => unaryCall(deps.runtime, sent, body, signal);
  const ask = { run, askedAtMs, ...option };
  if (!request) {
    return await deps.limiter.pull({ ...ask, key: randomUUID(), image: '', registry: '', presence: 'absent' }, hangUp);
  }
  const image = printable(request.image);
  const seen = `${request.image}|${Buffer.from(request.runtimeHandler).toString('hex')}`;
  const key = deps.keyOf(request);
  const isLimited = deps.limiter.limit > 0 || option.limit > 0;
  const asks = settings.present === 'verify' && isLimited && deps.runtime.up && !deps.limiter.isOpen(key);
  const wasSeen = deps.clock.monotonicMs() - (recent.get(seen) ?? -Infinity) < settings.recentMs;
  const presence = await inTurn(asks ? presenceOf(deps, path, request, wasSeen) : Promise.resolve('absent' as const));
  hangUp.throwIfAborted();
  const podUid = request.podUid === '' ? undefined : request.podUid;
  const what = { key, image, registry: registryOf(request.image), presence, podUid };
  const answer = await deps.limiter.pull({ ...ask, ...what }, hangUp);
  if (answer.trailers['grpc-status'] === '0') remember(recent, seen, deps.clock.monotonicMs());
  return answer;
}

/** Whether the runtime has the image. Not knowing counts as not having it. */
async function presenceOf(
  { runtime, clock }: PullImageDeps,
  pullPath: string,
  request: PullImageRequest,
  wasSeen: boolean,
): Promise<Presence> {
  const timeout = new AbortController();
  const timer = clock.after(statusTimeoutMs, () => timeout.abort(new Error('no status in time')));
  try {
    const path = pullPath.replace(/PullImage$/, 'ImageStatus');
    const message = imageStatusRequest(request.imageSpec);
    const { body } = await unaryCall(runtime, { ':path': path }, framed(message), timeout.signal);
    const answered = unframed(body);
    if (!answered || !readImageStatusResponse(answered)) return 'absent';
    return wasSeen || hasDigest(request.image) ? 'sure' : 'likely';
  } catch {
    return 'absent';
  } finally {
    timer.cancel();
  }
}

function decoded(body: Buffer): PullImageRequest | undefined {
  const message = unframed(body);
  if (!message) return undefined;
  try {
    return readPullImageRequest(message);
  } catch {
    return undefined;
  }
}

class RequestTooLargeError extends Error {
  override readonly name = 'RequestTooLargeError';
}

async function bodyOf(stream: ServerHttp2Stream): Promise<Buffer> {
  return await new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > largestRequestBytes + 5) {
        reject(new RequestTooLargeError(`a request to pull an image may have ${largestRequestBytes} bytes at most`));
        stream.resume();
      } else chunks.push(chunk);
    });
    stream.on('end', () => resolve(Buffer.concat(chunks)));
    stream.on('close', () => resolve(Buffer.concat(chunks)));
  });
}

function remember(recent: Map<string, number>, seen: string, nowMs: number): void {
  recent.delete(seen);
  recent.set(seen, nowMs);
  for (const oldest of recent.keys()) {
    if (recent.size <= mostRecent) break;
    recent.delete(oldest);
  }
}

/**
 * UNKNOWN, because that is the one code whose text a kubelet shows and compares as it
 * stands; any other is shown as `rpc error: code = ...`.
 */
const codeOf: Readonly<Record<RefusalReason, 2 | 10 | 14>> = {
  TooManyPullingInParallel: grpcCode.unknown,
  QueueFull: grpcCode.unknown,
  PodGone: grpcCode.aborted,
  Dropped: grpcCode.aborted,
  RuntimeAway: grpcCode.unavailable,
  Draining: grpcCode.unavailable,
};

function answerError(stream: ServerHttp2Stream, error: unknown, more: OutgoingHttpHeaders): void {
  if (error === deadlineOver) {
    answerStatus(stream, grpcCode.deadlineExceeded, 'context deadline exceeded', more);
  } else if (error instanceof PullRefusedError) {
    const about = { 'slipway-reason': error.reason, 'slipway-waited-ms': String(Math.round(error.waitedMs)) };
    answerStatus(stream, codeOf[error.reason], error.message, { ...more, ...about });
  } else if (error instanceof BadOptionError) {
    answerStatus(stream, grpcCode.invalidArgument, error.message, { ...more, 'slipway-reason': error.reason });
  } else if (error instanceof RequestTooLargeError) {
    answerStatus(stream, grpcCode.resourceExhausted, error.message, more);
  } else if (error instanceof RuntimeAwayError) {
    answerStatus(stream, grpcCode.unavailable, error.message, { ...more, 'slipway-reason': 'RuntimeAway' });
  } else if (!stream.closed) {
    answerStatus(stream, grpcCode.internal, 'the image pull limiter failed', more);
  }
}

function textOf(header: OutgoingHttpHeaders[string]): string | undefined {
  return header === undefined ? undefined : String(header);
}
