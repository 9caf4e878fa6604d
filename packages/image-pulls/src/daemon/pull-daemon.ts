import type { OutgoingHttpHeaders, ServerHttp2Session } from 'node:http2';
import type { Duplex } from 'node:stream';
import { type PullsSettings, passedSocket } from '../config/pulls-settings.js';
import { supportHeader } from '../cri/option-headers.js';
import { type PullClock, systemClock } from '../limiter/clock.js';
import { pullKeys } from '../limiter/pull-key.js';
import { PullLimiter } from '../limiter/pull-limiter.js';
import type { PullRecord } from '../limiter/pull-record.js';
import type { PullState, PullView } from '../limiter/pull-state.js';
import { ProgressWatch, type PullProgress } from '../progress/progress-watch.js';
import { watchVerification } from '../progress/verification-watch.js';
import { criProxy } from '../proxy/cri-proxy.js';
import { OpenPulls } from '../proxy/open-pulls.js';
import { ContentStore } from '../runtime/content-store.js';
import { RuntimeConnection } from '../runtime/runtime-connection.js';
import type { UnaryAnswer } from '../runtime/unary-call.js';
import type { LimitSource } from './chosen-limit.js';
import { type Giving, giveOver } from './give-over.js';
import type { RuntimeSettings } from './hand-over-messages.js';
import { Listener } from './listener.js';
import { outcomeOf } from './outcome.js';
import type { TakingOver } from './take-over.js';

export interface PullDaemonOptions {
  readonly settings: PullsSettings;
  /** The limit to begin with; `settings.limit` may say that it stands elsewhere. */
  readonly limit: number;
  /** Where that limit stands. */
  readonly limitSource?: LimitSource;
  readonly clock?: PullClock;
  /** Called with everything worth a log line. */
  readonly onRecord?: (record: PullRecord) => void;
  /** Called for every request that could not be read. */
  readonly onUndecodable?: () => void;
  /** Called when stalled pulls should be ended and this runtime does not show what moves, so none is. */
  readonly onStallsUnseen?: () => void;
  /** Called when a connection could not be accepted. */
  readonly onAcceptError?: (error: Error) => void;
  /** Whether to listen where another process does. */
  readonly takeOver?: boolean;
}

/** What people see of a daemon: the queue, and how its pulls get on. */
export interface DaemonState extends Omit<PullState, 'running'> {
  readonly running: readonly (PullView & { readonly progress?: PullProgress })[];
  /** Whether the runtime shows the bytes of its pulls. */
  readonly fidelity: 'exact' | 'none';
  readonly bypassed: boolean;
  readonly limitSource: LimitSource;
}

/** A limiter that listens. What the commands and the reload steer. */
export interface PullDaemon {
  state(): PullState;
  /** The same with the progress of what runs, for which the runtime is asked. */
  look(): Promise<DaemonState>;
  /** The layers and bytes that a pull brought which began at this wall-clock time; undefined when unknown. */
  fetchedBy(image: string, startedMs: number): Promise<{ bytes: number; layers: number } | undefined>;
  /** Passes everything on as it is from now on, or no longer. */
  setBypass(on: boolean): void;
  /** Refuses waiting calls of pods that no longer are, and says how many those were. */
  podsGone(uids: readonly string[]): number;
  setLimit(limit: number, source: LimitSource): void;
  setPaused(paused: boolean): void;
  drop(image: string): number;
  /** Takes over what can change while it runs. */
  apply(settings: PullsSettings): void;
  /** Where clients come to. */
  readonly listener: Listener;
  /** Queues what another daemon runs and has waiting. */
  adopt(from: TakingOver, restoreSettings: (settings: RuntimeSettings) => void): Promise<void>;
  /**
   * Resolves when what runs and waits has ended, or `drainTimeout` is over. At `fd:3` calls wait meanwhile for the next
   * process; at a path pulls are refused and other calls are served.
   */
  finish(): Promise<void>;
  /** Lets another daemon take over through this connection; see `giveOver`. */
  giveOver(connection: Duplex, giving: Omit<Giving, 'limiter' | 'openPulls' | 'clock'>): Promise<boolean>;
  /** Ends everything that is open. */
  close(): Promise<void>;
}

/**
 * Listens, dials the runtime, and limits. Listens even while there is no runtime.
 * @throws ListenError
 */
export async function startPullDaemon(options: PullDaemonOptions): Promise<PullDaemon> {
  const daemon = pullDaemon(options);
  try {
    await daemon.listener.listen();
    return daemon;
  } catch (error) {
    await daemon.close();
    throw error;
  }
}

/** The same before it listens. */
export function pullDaemon(options: PullDaemonOptions): PullDaemon {
  const { clock = systemClock, onRecord = () => {} } = options;
  let settings = options.settings;
  const limiter = new PullLimiter<UnaryAnswer>({
    limit: options.limit,
    settings: settings.queue,
    clock,
    runtimeUp: false,
    onRecord: (record) => {
      if (record.what === 'started') progress.wake();
      onRecord(record);
    },
    outcomeOf,
  });
  const runtime = new RuntimeConnection({
    path: settings.runtime,
    clock,
    onUp: () => {
      progress.runtimeBack();
      limiter.runtimeBack();
      void adaptToRuntime();
    },
    onLost: () => limiter.runtimeLost(),
  });
  const store = new ContentStore(runtime);
  const progress = new ProgressWatch({
    store,
    clock,
    pulls: () => limiter.state().running,
    stallAfterMs: () => settings.stallAfterMs,
    onStalled: (id, idleMs) => limiter.stalled(id, idleMs),
    onMoved: (id) => limiter.moved(id),
  });
  /** Whether no other pull has begun so lately that it may still be asking for its manifest. */
  const isQuiet = (but: number) =>
    limiter.state().running.every(({ id, runningMs }) => id === but || runningMs > quietMs);
  /** A runtime that shows what it fetches needs no guess by time; one that does not cannot have its stalls ended. */
  const adaptToRuntime = async () => {
    await progress.look();
    const isSeen = progress.fidelity === 'exact';
    limiter.setSettings(isSeen ? { ...settings.queue, presentTripMs: seenTripMs } : settings.queue);
    if (!isSeen && settings.queue.onStall !== 'report') options.onStallsUnseen?.();
  };
  let bypassed = false;
  let { limitSource = 'configuration' } = options;
  const openPulls = new OpenPulls();
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
    isPullLike: (path) => settings.pullLike.includes(path),
    isBypassed: () => bypassed,
    openPulls,
    verify: (image, id, run) =>
      watchVerification({ store, clock, isQuiet: () => isQuiet(id) }, image, run, () => limiter.downloads(id)),
  });
  server.on('session', (session: ServerHttp2Session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
  });
  const { takeOver = false, onAcceptError = () => {} } = options;
  const listener = new Listener(server, settings.listen, { takeOver, onAcceptError });
  runtime.start();
  const within = (ms: number, done: Promise<unknown>) =>
    Promise.race([done, new Promise<void>((resolve) => clock.after(ms, resolve))]);
  /** A call is open before it is in the queue, and may pass without ever being there. */
  const idle = async () => {
    await limiter.whenIdle();
    await openPulls.whenNone();
    await limiter.whenIdle();
  };
  /** New calls go elsewhere from now on; those that are open may end. */
  const closeSessions = () => Promise.all([...sessions].map((session) => ended(session, () => session.close())));

  return {
    state: () => limiter.state(),
    async look() {
      const watched = await progress.look();
      const state = limiter.state();
      const running = state.running.map((pull) => {
        const known = watched.get(pull.id);
        return known ? { ...pull, progress: known } : pull;
      });
      return { ...state, running, fidelity: progress.fidelity, bypassed, limitSource };
    },
    fetchedBy: (image, startedMs) => progress.fetchedBy(image, startedMs),
    setBypass(on) {
      bypassed = on;
    },
    podsGone: (uids) => limiter.podsGone(uids),
    setLimit(limit, source) {
      limitSource = source;
      limiter.setLimit(limit, source);
    },
    setPaused: (paused) => limiter.setPaused(paused),
    drop: (image) => limiter.drop(image),
    apply(next) {
      const { listen, runtime: behind, services } = settings;
      settings = { ...next, listen, runtime: behind, services };
      limiter.setSettings(settings.queue);
      void adaptToRuntime();
    },
    listener,
    adopt: (from, restoreSettings) => from.attach(limiter, restoreSettings),
    async finish() {
      if (settings.listen !== passedSocket) limiter.drain();
      else {
        listener.stop();
        void closeSessions();
      }
      await within(settings.drainTimeoutMs, idle());
      await within(lastAnswersMs, closeSessions());
    },
    async giveOver(connection, giving) {
      let closed: Promise<unknown> = Promise.resolve();
      const leave = () => {
        listener.stop();
        giving.leave();
        closed = closeSessions();
      };
      const isOver = await giveOver(connection, { ...giving, leave, limiter, openPulls, clock });
      if (isOver) await within(lastCallsMs, closed);
      return isOver;
    },
    async close() {
      listener.stop();
      progress.close();
      await Promise.all([...sessions].map((session) => ended(session, () => session.destroy())));
      runtime.close();
    },
  };
}

function ended(session: ServerHttp2Session, end: () => void): Promise<void> {
  return new Promise((resolve) => {
    session.once('close', resolve);
    end();
  });
}

/** How long a registry may take to confirm a tag, where a download would be seen. */
const seenTripMs = 30_000;

/** How long a pull may take until it has its manifest and asks for layers. */
const quietMs = 5_000;

/** Given to other calls that are open when the last pull here has ended and another daemon has taken over. */
const lastCallsMs = 10_000;

/** Given to answers that are on their way when everything has ended. */
const lastAnswersMs = 1_000;

/** Tells a caller that the option is understood, and what holds when it sends none. */
function supported(limit: number, mode: string): OutgoingHttpHeaders {
  return { [supportHeader]: `v=1;limit=${limit};on-full=${mode}` };
}
