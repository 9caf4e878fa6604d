import type { OutgoingHttpHeaders, ServerHttp2Session } from 'node:http2';
import type { Duplex } from 'node:stream';
import type { PullsSettings } from '../config/pulls-settings.js';
import { type PullClock, systemClock } from '../limiter/clock.js';
import { pullKeys } from '../limiter/pull-key.js';
import { PullLimiter, type PullState } from '../limiter/pull-limiter.js';
import type { PullRecord } from '../limiter/pull-record.js';
import { criProxy } from '../proxy/cri-proxy.js';
import { supportHeader } from '../proxy/pull-option.js';
import { RuntimeConnection } from '../runtime/runtime-connection.js';
import type { UnaryAnswer } from '../runtime/unary-call.js';
import { giveOver, type TakingOver } from './hand-over.js';
import { outcomeOf } from './outcome.js';
import { listenAt } from './unix-listener.js';

export interface PullDaemonOptions {
  readonly settings: PullsSettings;
  /** The limit to begin with; `settings.limit` may say that it stands elsewhere. */
  readonly limit: number;
  readonly clock?: PullClock;
  /** Called with everything worth a log line. */
  readonly onRecord?: (record: PullRecord) => void;
  /** Called for every request that could not be read. */
  readonly onUndecodable?: () => void;
  /** The daemon to take over from; see `takeOver`. */
  readonly from?: TakingOver | undefined;
}

/** A limiter that listens. What the commands and the reload steer. */
export interface PullDaemon {
  state(): PullState;
  setLimit(limit: number, source: string): void;
  setPaused(paused: boolean): void;
  drop(image: string): number;
  /** Takes over what can change while it runs. */
  apply(settings: PullsSettings): void;
  /** Refuses pulls, serves everything else, and resolves when those that run have ended or the time is over. */
  drain(): Promise<void>;
  /** Lets another daemon take over through this connection, and resolves when nothing is left here. */
  giveOver(connection: Duplex, stopListening: () => void): Promise<void>;
  /** Ends everything that is open. */
  close(): Promise<void>;
}

/**
 * Listens, dials the runtime, and limits. Listens even while there is no runtime.
 * @throws ListenError
 */
export async function startPullDaemon(options: PullDaemonOptions): Promise<PullDaemon> {
  const { clock = systemClock, onRecord = () => {} } = options;
  let settings = options.settings;
  const limiter = new PullLimiter<UnaryAnswer>({
    limit: options.limit,
    settings: settings.queue,
    clock,
    runtimeUp: false,
    onRecord,
    outcomeOf,
  });
  const runtime = new RuntimeConnection({
    path: settings.runtime,
    clock,
    onUp: () => limiter.runtimeBack(),
    onLost: () => limiter.runtimeLost(),
  });
  const sessions = new Set<ServerHttp2Session>();
  const server = criProxy({
    limiter,
    runtime,
    clock,
    services: settings.services,
    keyOf: pullKeys(settings.sharing),
    settings: () => ({ ...settings, present: settings.present.mode, recentMs: settings.present.recentMs }),
    more: () => supported(limiter.limit, settings.onFull.mode),
    onUndecodable: options.onUndecodable ?? (() => {}),
  });
  server.on('session', (session: ServerHttp2Session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
  });
  runtime.start();
  let unlink = () => {};
  try {
    await options.from?.attach(limiter);
    unlink = await listenAt(server, settings.listen, { takeOver: options.from !== undefined });
  } catch (error) {
    runtime.close();
    throw error;
  }
  const within = (ms: number, done: Promise<unknown>) =>
    Promise.race([done, new Promise<void>((resolve) => clock.after(ms, resolve))]);
  /** New calls go elsewhere from now on; those that are open may end. */
  const closeSessions = () =>
    Promise.all([...sessions].map((session) => new Promise<void>((resolve) => session.close(resolve))));

  return {
    state: () => limiter.state(),
    setLimit: (limit, source) => limiter.setLimit(limit, source),
    setPaused: (paused) => limiter.setPaused(paused),
    drop: (image) => limiter.drop(image),
    apply(next) {
      settings = { ...next, listen: settings.listen, runtime: settings.runtime, services: settings.services };
      limiter.setSettings(settings.queue);
    },
    async drain() {
      await within(settings.drainTimeoutMs, limiter.drain());
      await within(lastAnswersMs, closeSessions());
    },
    async giveOver(connection, stopListening) {
      let closed: Promise<unknown> = Promise.resolve();
      const stop = () => {
        server.close();
        stopListening();
        closed = closeSessions();
      };
      await giveOver(connection, limiter, () => clock.monotonicMs(), stop);
      await within(lastCallsMs, closed);
    },
    async close() {
      unlink();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const session of sessions) session.destroy();
      runtime.close();
      await closed;
    },
  };
}

/** Given to other calls that are open when the last pull here has ended and another daemon has taken over. */
const lastCallsMs = 10_000;

/** Given to answers that are on their way when everything has ended. */
const lastAnswersMs = 1_000;

/** Tells a caller that the option is understood, and what holds when it sends none. */
function supported(limit: number, mode: string): OutgoingHttpHeaders {
  return { [supportHeader]: `v=1;limit=${limit};on-full=${mode}` };
}
