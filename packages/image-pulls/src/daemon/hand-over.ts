import { request } from 'node:http';
import { createInterface } from 'node:readline';
import type { Duplex } from 'node:stream';
import type { PullLimiter } from '../limiter/pull-limiter.js';
import type { Presence, PullQueue } from '../limiter/queue-state.js';
import type { UnaryAnswer } from '../runtime/unary-call.js';

/**
 * How one daemon takes over from another without a failed call. From `take` on the new one alone says what
 * starts: what the old one runs counts there, and who waits in the old one is queued there, as long as it has waited.
 * From `listening` on clients come to the new one; calls that are open stay where they are until they are answered.
 */
type FromOld =
  | { readonly say: 'running'; readonly ids: readonly number[] }
  | { readonly say: 'waiting'; readonly id: number; readonly pull: HandedPull }
  /** A pull is over, whether it ran or its callers left. */
  | { readonly say: 'over'; readonly id: number }
  | { readonly say: 'told' };

type FromNew =
  | { readonly say: 'take' }
  | { readonly say: 'start'; readonly id: number }
  | { readonly say: 'listening' };

interface HandedPull {
  readonly image: string;
  readonly registry: string;
  readonly presence: Presence;
  readonly limit: number;
  readonly waitedMs: number;
}

/** The path at the admin socket, and the protocol that the connection is switched to. */
export const handOverPath = '/hand-over';
export const handOverProtocol = 'slipway-hand-over';

/**
 * The old daemon's side. Resolves when the new one listens and everything that was open here is over;
 * `stopListening` is called in between. If the new one dies, what waits here starts again as before.
 */
export async function giveOver(
  socket: Duplex,
  limiter: PullLimiter<UnaryAnswer>,
  nowMs: () => number,
  stopListening: () => void,
): Promise<void> {
  const told = new Set<number>();
  let isTaken = false;
  let isListening = false;
  const say = (message: FromOld) => {
    if (socket.writable) socket.write(`${JSON.stringify(message)}\n`);
  };
  await new Promise<void>((resolve) => {
    const tellChanges = (queue: PullQueue) => {
      if (!isTaken) return;
      for (const pull of queue.waiting) {
        if (told.has(pull.id)) continue;
        told.add(pull.id);
        const { image, registry, presence, callers, askedAtMs } = pull;
        const options = callers.map(({ limit }) => limit);
        const limit = options.includes(0) ? 0 : Math.max(0, ...options);
        say({
          say: 'waiting',
          id: pull.id,
          pull: { image, registry, presence: presenceFor(presence), limit, waitedMs: nowMs() - askedAtMs },
        });
      }
      const open = new Set([...queue.running, ...queue.waiting].map(({ id }) => id));
      for (const id of told) {
        if (open.has(id)) continue;
        told.delete(id);
        say({ say: 'over', id });
      }
      if (isListening && open.size === 0) resolve();
    };
    const take = (queue: PullQueue) => {
      isTaken = true;
      const ids = queue.running.map(({ id }) => id);
      for (const id of ids) told.add(id);
      say({ say: 'running', ids });
    };
    let last: PullQueue | undefined;
    const see = (queue: PullQueue) => {
      last = queue;
      tellChanges(queue);
    };
    limiter.watch(see);
    listen<FromNew>(socket, (message) => {
      if (message.say === 'take' && last) {
        limiter.setPaused(true);
        take(last);
        tellChanges(last);
        say({ say: 'told' });
      } else if (message.say === 'start') limiter.grant(message.id);
      else if (message.say === 'listening') {
        isListening = true;
        stopListening();
        if (last) tellChanges(last);
      }
    });
    socket.once('close', () => {
      limiter.setPaused(false);
      if (!isListening) limiter.watch(() => {});
    });
  });
  socket.end();
}

/** Only this process could stop a verification of a tag that moved, so in the other's name it takes a place. */
function presenceFor(presence: Presence): Presence {
  return presence === 'sure' ? presence : 'absent';
}

/** The new daemon's side of a hand-over that has begun. */
export interface TakingOver {
  /** Resolves when the limiter knows all that runs and waits in the old daemon. */
  attach(limiter: PullLimiter<UnaryAnswer>): Promise<void>;
  /** Tells the old daemon that clients are served here now. */
  listening(): void;
}

/** Begins to take over from the daemon with this admin socket; undefined when there is none. */
export function takeOver(adminPath: string): Promise<TakingOver | undefined> {
  return new Promise((resolve) => {
    const headers = { connection: 'Upgrade', upgrade: handOverProtocol };
    const call = request({ socketPath: adminPath, path: handOverPath, headers, agent: false });
    call.once('error', () => resolve(undefined));
    call.once('response', () => resolve(undefined));
    call.once('upgrade', (_, socket) => resolve(takingOver(socket)));
    call.end();
  });
}

function takingOver(socket: Duplex): TakingOver {
  const say = (message: FromNew) => {
    if (socket.writable) socket.write(`${JSON.stringify(message)}\n`);
  };
  const over = new Map<number, () => void>();
  const adopted = new Set<number>();
  return {
    listening: () => say({ say: 'listening' }),
    attach: (limiter) =>
      new Promise((resolve) => {
        listen<FromOld>(socket, (message) => {
          switch (message.say) {
            case 'running':
              for (const id of message.ids) adopted.add(id);
              limiter.adopt([...adopted].map(String));
              break;
            case 'waiting':
              queueForOld(limiter, message.id, message.pull);
              break;
            case 'over':
              if (adopted.delete(message.id)) limiter.adoptedEnded(String(message.id));
              over.get(message.id)?.();
              break;
            case 'told':
              resolve();
              break;
          }
        });
        socket.once('close', () => {
          adopted.clear();
          limiter.adopt([]);
          for (const end of [...over.values()]) end();
          resolve();
        });
        say({ say: 'take' });
      }),
  };

  /** A pull of the old daemon in this queue: running it means to let the old one. */
  function queueForOld(limiter: PullLimiter<UnaryAnswer>, id: number, handed: HandedPull): void {
    const left = new AbortController();
    const { waitedMs, ...what } = handed;
    const ended = new Promise<UnaryAnswer>((resolve) => {
      over.set(id, () => {
        over.delete(id);
        left.abort(new Error('it is over in the old daemon'));
        resolve(nothing);
      });
    });
    const run = () => {
      say({ say: 'start', id });
      return ended;
    };
    const ask = { ...what, key: `handed over ${id}`, onFull: { mode: 'wait' }, agoMs: waitedMs, run } as const;
    limiter.pull(ask, left.signal).catch(() => {});
  }
}

/** What the old daemon's callers were answered went to them, not here. */
const nothing: UnaryAnswer = { headers: undefined, body: Buffer.alloc(0), trailers: { 'grpc-status': '0' } };

function listen<T>(socket: Duplex, hear: (message: T) => void): void {
  socket.on('error', () => {});
  createInterface({ input: socket, crlfDelay: Infinity }).on('line', (line) => hear(JSON.parse(line) as T));
}
