import { request } from 'node:http';
import type { Duplex } from 'node:stream';
import type { PullClock } from '../limiter/clock.js';
import type { PullLimiter } from '../limiter/pull-limiter.js';
import { PullRefusedError } from '../limiter/pull-refused-error.js';
import type { UnaryAnswer } from '../runtime/unary-call.js';
import {
  type FromNew,
  type FromOld,
  type HandedPull,
  handOverPath,
  handOverProtocol,
  messageLine,
  type RuntimeSettings,
} from './hand-over-messages.js';
import { ListenError } from './unix-listener.js';

/** A hand-over that has begun, seen from the new daemon. If the old one dies in between, the new one goes on alone. */
export interface TakingOver {
  /**
   * Resolves when the limiter knows all that runs and waits in the old daemon; `restoreSettings` is called before.
   * @throws ListenError when the old daemon does not answer, or serves on because this one took too long.
   */
  attach(limiter: PullLimiter<UnaryAnswer>, restoreSettings: (state: RuntimeSettings) => void): Promise<void>;
  /** Resolves when the old daemon has left its TCP ports. @throws ListenError as before. */
  release(): Promise<void>;
  /**
   * Tells the old daemon that clients are served here, and resolves when it has stopped listening.
   * @throws ListenError when it serves on, because this one took too long.
   */
  commit(): Promise<void>;
  /** Gives up: the old daemon goes on as before. */
  close(): void;
}

/**
 * Begins to take over from the daemon with this admin socket; undefined when there is none.
 * @throws ListenError when another daemon is taking over from it, or it does not answer.
 */
export function takeOver(adminPath: string, clock: PullClock): Promise<TakingOver | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { connection: 'Upgrade', upgrade: handOverProtocol };
    const call = request({ socketPath: adminPath, path: handOverPath, headers, agent: false });
    const timeout = clock.after(answerTimeoutMs, () => {
      reject(notAnswering());
      call.destroy();
    });
    call.once('close', () => timeout.cancel());
    call.once('error', () => resolve(undefined));
    call.once('response', ({ statusCode }) => {
      call.destroy();
      if (statusCode === 409)
        reject(new ListenError(`another process is taking over from the limiter at ${adminPath}`));
      else resolve(undefined);
    });
    call.once('upgrade', (_, socket) => {
      timeout.cancel();
      resolve(takingOver(socket, clock));
    });
    call.end();
  });
}

/** How long the old daemon may take to answer. One that hangs may serve again, so its slot is not taken from it. */
const answerTimeoutMs = 10_000;

function notAnswering(): ListenError {
  return new ListenError('the limiter that listens there does not answer; end it first');
}

function takingOver(socket: Duplex, clock: PullClock): TakingOver {
  const over = new Map<string, () => void>();
  const adopted = new Set<string>();
  const reached = new Map<FromOld['say'] | 'closed', () => void>();
  const reach = (what: FromOld['say'] | 'closed') => reached.get(what)?.();
  let limiter: PullLimiter<UnaryAnswer> | undefined;
  let restoreSettings: (state: RuntimeSettings) => void = () => {};
  let clockOffsetMs = 0;
  let isClosed = false;
  let isWithdrawn = false;

  const line = messageLine<FromNew, FromOld>(socket, hear, () => {
    isClosed = true;
    adopted.clear();
    limiter?.adopt([]);
    for (const end of [...over.values()]) end();
    reach('closed');
  });
  /** Resolves with the answer, or when its sender is gone. @throws ListenError */
  const ask = async (message: FromNew, answer: FromOld['say'], timeoutMs = Infinity) => {
    if (!isClosed && !isWithdrawn) {
      await new Promise<void>((resolve, reject) => {
        const timeout = timeoutMs === Infinity ? undefined : clock.after(timeoutMs, () => reject(notAnswering()));
        const answered = () => {
          timeout?.cancel();
          resolve();
        };
        reached.set(answer, answered).set('closed', answered);
        line.say(message);
      });
    }
    if (isWithdrawn) throw new ListenError('the old daemon serves on, because taking over took too long');
  };

  function hear(message: FromOld): void {
    switch (message.say) {
      case 'state':
        clockOffsetMs = clock.monotonicMs() - message.nowMs;
        restoreSettings(message.byHand);
        break;
      case 'running':
        for (const id of message.ids) adopted.add(id);
        limiter?.adopt([...adopted]);
        break;
      case 'waiting':
        if (limiter) queueForOld(limiter, message.id, message.pull);
        break;
      case 'over':
        if (adopted.delete(message.id)) limiter?.adoptedEnded(message.id);
        over.get(message.id)?.();
        break;
      case 'withdrawn':
        isWithdrawn = true;
        reach('closed');
        break;
      default:
        reach(message.say);
    }
  }

  /** A pull of the old daemon in this queue: running it means to let the old one. */
  function queueForOld(queue: PullLimiter<UnaryAnswer>, id: string, handed: HandedPull): void {
    const left = new AbortController();
    const ended = new Promise<UnaryAnswer>((resolve) => {
      over.set(id, () => {
        over.delete(id);
        left.abort(new Error('it is over in the old daemon'));
        resolve(nothing);
      });
    });
    const run = () => {
      line.say({ say: 'start', id });
      return ended;
    };
    const { callers = [], ...pull } = handed;
    const askedAtMs = pull.askedAtMs + clockOffsetMs;
    const common = {
      ...pull,
      key: `handed over ${id}`,
      onFull: { mode: 'wait' },
      askedAtMs,
      isAccepted: true,
      run,
    } as const;
    const pods = callers.length > 0 ? callers : [{}];
    const calls = pods.map((pod) => queue.pull({ ...common, ...pod }, left.signal));
    // The old daemon has one pull for all of them, which goes on while one of them waits.
    Promise.any(calls).catch(({ errors: [error] }: AggregateError) => {
      if (error instanceof PullRefusedError) line.say({ say: 'deny', id, reason: error.reason });
    });
  }

  return {
    attach(queue, set) {
      limiter = queue;
      restoreSettings = set;
      return ask({ say: 'take' }, 'told', answerTimeoutMs);
    },
    release: () => ask({ say: 'release' }, 'released', answerTimeoutMs),
    commit: () => ask({ say: 'commit' }, 'yours'),
    close: () => line.close(),
  };
}

/** What the old daemon's callers were answered went to them, not here. */
const nothing: UnaryAnswer = { headers: undefined, body: Buffer.alloc(0), trailers: { 'grpc-status': '0' } };
