import { backoffMs } from './backoff.js';
import { type GateClock, pause, withinTime } from './clock.js';
import { fieldOf, type GateTransport, RefusedError } from './transport.js';

/** What to follow and whom to tell. */
export interface Following {
  readonly transport: GateTransport;
  /** Path of a collection, without query. */
  readonly path: string;
  /** Name of the only object wanted; all of the collection when absent. */
  readonly name?: string | undefined;
  /** Told the whole state, by name, once it was listed and after every change. */
  readonly onState: (objects: ReadonlyMap<string, unknown>) => void;
  /** Told why nothing is known at present. */
  readonly onAway?: (error: unknown) => void;
  /** Receives a line when the server denies the right to list or watch, which does not pass by itself. */
  readonly log: (line: string) => void;
  readonly clock: GateClock;
  readonly random: () => number;
  readonly signal: AbortSignal;
}

const requestMs = 15_000;
/** The server ends a watch after this long; a stream that outlives it has a dead connection. */
const watchSeconds = 540;
/** How often to look when the transport cannot watch. */
const withoutStreamMs = 300_000;

/**
 * Keeps a caller informed of a collection: lists it, watches it from there, and
 * lists again whenever the watch may have missed something. Never throws; returns when `signal` aborts.
 */
export async function follow(following: Following): Promise<void> {
  const { clock, random, signal } = following;
  let failures = 0;
  let denial = '';
  while (!signal.aborted) {
    const startedMs = clock.monotonicMs();
    try {
      await listAndWatch(following, () => {
        failures = 0;
      });
    } catch (error) {
      if (signal.aborted) return;
      following.onAway?.(error);
      const message = String(error);
      if (isDenial(message) && message !== denial) following.log(`cannot be followed, will try again: ${message}`);
      if (isDenial(message)) denial = message;
      failures = clock.monotonicMs() - startedMs > 60_000 ? 1 : failures + 1;
      await pause(clock, backoffMs(failures, random, error instanceof RefusedError ? error.retryAfterMs : 0), signal);
    }
  }
}

async function listAndWatch(following: Following, alive: () => void): Promise<void> {
  const { transport, clock, random, signal } = following;
  const { objects, resourceVersion } = await list(following);
  following.onState(objects);
  if (!transport.stream) {
    alive();
    return pause(clock, withoutStreamMs * (0.9 + 0.2 * random()), signal);
  }
  for (let version = resourceVersion; !signal.aborted; ) {
    const startedMs = clock.monotonicMs();
    version = await watch(following, transport.stream.bind(transport), objects, version, alive);
    if (clock.monotonicMs() - startedMs < 1_000) throw new Error('the watch ended at once');
  }
}

async function list(following: Following): Promise<{ objects: Map<string, unknown>; resourceVersion: string }> {
  const { transport, path, name, clock, signal } = following;
  const query = name === undefined ? '' : `?fieldSelector=${encodeURIComponent(`metadata.name=${name}`)}`;
  const answer = await withinTime(clock, requestMs, signal, (inner) =>
    transport.request({ method: 'GET', path: path + query, signal: inner }),
  );
  if (answer.status !== 200) throw new RefusedError(`listing ${path}`, answer);
  const items = fieldOf(answer.body, 'items');
  const objects = new Map<string, unknown>();
  for (const item of Array.isArray(items) ? items : []) put(objects, item);
  return { objects, resourceVersion: String(fieldOf(answer.body, 'metadata', 'resourceVersion') ?? '') };
}

/** Returns the version to go on from when the server ended the watch in good order. */
async function watch(
  following: Following,
  stream: NonNullable<GateTransport['stream']>,
  objects: Map<string, unknown>,
  from: string,
  alive: () => void,
): Promise<string> {
  const { path, name, clock, signal } = following;
  const query = new URLSearchParams({ watch: 'true', allowWatchBookmarks: 'true', resourceVersion: from });
  query.set('timeoutSeconds', String(watchSeconds));
  if (name !== undefined) query.set('fieldSelector', `metadata.name=${name}`);
  let version = from;
  return withinTime(clock, (watchSeconds + 30) * 1000, signal, async (inner) => {
    for await (const frame of stream({ method: 'GET', path: `${path}?${query}` }, inner)) {
      // The time limit may have passed meanwhile: whoever listens has been told that nothing is known.
      if (inner.aborted) break;
      if (frame.type === 'ERROR') {
        throw new Error(`watching ${path}: ${String(fieldOf(frame.object, 'message') ?? 'the server gave up')}`);
      }
      alive();
      version = String(fieldOf(frame.object, 'metadata', 'resourceVersion') ?? version);
      if (frame.type === 'BOOKMARK') continue;
      if (frame.type === 'DELETED') objects.delete(nameOf(frame.object));
      else put(objects, frame.object);
      following.onState(objects);
    }
    return version;
  });
}

/** Whether the message of an error says that a right is missing. */
export function isDenial(message: string): boolean {
  return /\bcannot \w+ resource "/.test(message);
}

function put(objects: Map<string, unknown>, object: unknown): void {
  objects.set(nameOf(object), object);
}

function nameOf(object: unknown): string {
  return String(fieldOf(object, 'metadata', 'name') ?? '');
}
