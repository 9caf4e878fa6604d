import { randomUUID } from 'node:crypto';
import type { OutgoingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { timeoutMs, unframed } from '../cri/grpc.js';
import { printable, registryOf } from '../cri/image-reference.js';
import { type PullImageRequest, readPullImageRequest } from '../cri/pull-image-request.js';
import type { PullClock } from '../limiter/clock.js';
import type { OnFull } from '../limiter/on-full.js';
import type { StartedPull } from '../limiter/pull-ask.js';
import type { PullLimiter } from '../limiter/pull-limiter.js';
import type { RuntimeConnection } from '../runtime/runtime-connection.js';
import { type UnaryAnswer, unaryCall } from '../runtime/unary-call.js';
import { answerWith } from './answer.js';
import { hangUpOf } from './hang-up.js';
import { notSeen, PresenceOracle, type Seen } from './presence.js';
import { answerError, presentAnswer, RequestTooLargeError } from './pull-answer.js';
import { type PullOption, pullOption } from './pull-option.js';

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
  /** A request that could not be read; it goes on as it is, with a slot of its own. */
  readonly onUndecodable: () => void;
  /** Runs the verification of an image that is there, beside the slots; see `watchVerification`. */
  readonly verify: (image: string, pullId: number, run: () => Promise<UnaryAnswer>) => Promise<UnaryAnswer>;
}

export interface PullImageSettings {
  /** For calls that carry no option. */
  readonly onFull: OnFull;
  /** For calls that do. */
  readonly retry: OnFull;
  /**
   * `verify` lets the runtime verify images that are there beside the slots, `place` makes no difference, and
   * `succeed` answers for them, which asks no registry.
   */
  readonly present: 'verify' | 'place' | 'succeed';
  /** How long a tag counts as confirmed after a pull of it succeeded. */
  readonly recentMs: number;
  readonly errors: 'kubelet' | 'precise';
}

/** What a runtime takes; above the second, a request is no longer read here. */
const largestRequestBytes = 16 << 20;
const largestReadBytes = 1 << 20;

/**
 * Serves PullImage: takes a slot, then lets the container runtime do the pull.
 *
 * The request travels on unread and unchanged; registry credentials in it are
 * never logged. The slot is given back when the call ends, however it ends.
 * The deadline of a call is held here, because a pull may have several callers.
 */
export function pullImage(deps: PullImageDeps): (stream: ServerHttp2Stream, headers: OutgoingHttpHeaders) => void {
  const present = new PresenceOracle(deps);
  const inTurn = turns();
  return (stream, headers) => {
    const hangUp = hangUpOf(stream, deps.clock, timeoutMs(textOf(headers['grpc-timeout'])));
    const askedAtMs = deps.clock.monotonicMs();
    stream.on('error', () => {});
    serve(deps, present, { stream, headers, hangUp, askedAtMs, inTurn }).then(
      (answer) => answerWith(stream, answer, deps.more()),
      (error: unknown) => answerError(stream, error, { errors: deps.settings().errors, more: deps.more() }),
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
  present: PresenceOracle,
  { stream, headers, hangUp, askedAtMs, inTurn }: Call,
): Promise<UnaryAnswer> {
  const settings = deps.settings();
  const option = pullOption(headers as Record<string, string | string[] | undefined>, settings);
  const body = await bodyOf(stream);
  hangUp.throwIfAborted();
  const path = String(headers[':path']);
  const { 'grpc-timeout': _, ...sent } = headers;
  const call = (signal: AbortSignal) => unaryCall(deps.runtime, sent, body, signal);
  const request = decoded(path, body);
  if (!request) {
    if (isPullImage(path)) deps.onUndecodable();
    const unknown = { key: randomUUID(), image: '', registry: '', presence: 'absent' } as const;
    return await deps.limiter.pull({ ...unknown, askedAtMs, ...option, run: call }, hangUp);
  }
  const key = deps.keyOf(request);
  const asks = asksPresence(deps, settings, option, key);
  const seen = await inTurn(asks ? present.ask(path, request, settings.recentMs) : Promise.resolve(notSeen));
  hangUp.throwIfAborted();
  if (seen.status && settings.present === 'succeed') return presentAnswer(seen.status);
  const run = (signal: AbortSignal, { id, lane, presence }: StartedPull) =>
    lane === 'present' && presence !== 'sure' ? deps.verify(request.image, id, () => call(signal)) : call(signal);
  const answer = await deps.limiter.pull({ ...askOf(request, key, seen), askedAtMs, ...option, run }, hangUp);
  if (answer.trailers['grpc-status'] === '0') present.confirmed(request);
  return answer;
}

/** Whether it matters that the image is there: not for who joins a pull, and not while nothing is limited. */
function asksPresence(
  { limiter, runtime }: PullImageDeps,
  { present }: PullImageSettings,
  option: PullOption,
  key: string,
): boolean {
  if (!runtime.up || limiter.isOpen(key) || present === 'place') return false;
  return present === 'succeed' || limiter.limit > 0 || option.limit > 0;
}

function askOf(request: PullImageRequest, key: string, { presence }: Seen) {
  const { podUid, podNamespace, podName } = request;
  return {
    key,
    image: printable(request.image),
    registry: registryOf(request.image),
    presence,
    podUid: podUid === '' ? undefined : podUid,
    pod: podName === '' ? undefined : printable(`${podNamespace}/${podName}`),
  };
}

/** In CRI v1 or v1alpha2. */
export function isPullImage(path: string): boolean {
  return /^\/runtime\.v1(?:alpha2)?\.ImageService\/PullImage$/.test(path);
}

/** Only PullImage itself can be read; what else pulls is passed on as it is. */
function decoded(path: string, body: Buffer): PullImageRequest | undefined {
  const message = isPullImage(path) && body.length <= largestReadBytes ? unframed(body) : undefined;
  if (!message) return undefined;
  try {
    return readPullImageRequest(message);
  } catch {
    return undefined;
  }
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

function textOf(header: OutgoingHttpHeaders[string]): string | undefined {
  return header === undefined ? undefined : String(header);
}
