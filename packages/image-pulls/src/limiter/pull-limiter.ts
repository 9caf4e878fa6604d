import { type PullClock, systemClock } from './clock.js';
import { type OnFull, patience } from './on-full.js';
import { step } from './pull-queue.js';
import type { PullRecord } from './pull-record.js';
import { PullRefusedError } from './pull-refused-error.js';
import {
  type Answer,
  counted,
  emptyQueue,
  type Happened,
  type Presence,
  type Pull,
  type PullQueue,
  type QueueSettings,
  type RefusalReason,
} from './queue-state.js';

/** One call for an image. Calls with an equal key share one `run` and its outcome. */
export interface PullAsk<T> {
  readonly key: string;
  readonly image: string;
  readonly registry: string;
  readonly presence: Presence;
  readonly onFull: OnFull;
  /** The call's own limit; 0 is no wish. It only tightens. */
  readonly limit: number;
  readonly podUid?: string | undefined;
  /** When the call arrived, if that was before now; its place in the queue counts from there. */
  readonly askedAtMs?: number;
  /** Whether it was accepted by another process, and is not refused because this queue is full. */
  readonly isAccepted?: boolean;
  /** Who asks, as `namespace/name` of a pod; for people. */
  readonly pod?: string | undefined;
  /** Lets the runtime pull. Must end soon after the signal aborts: the place is held until it did. */
  run(signal: AbortSignal, pull: StartedPull): Promise<T>;
}

/** What a pull is told of itself when it starts. */
export type StartedPull = Pick<Pull, 'id' | 'lane' | 'presence'>;

/** The reason to abort a call's signal with when its connection is lost, so that it can come back to its place. */
export const sessionLost = Symbol('session lost');

export interface PullLimiterOptions<T> {
  readonly limit: number;
  readonly settings?: Partial<QueueSettings>;
  readonly clock?: PullClock;
  /** Whether the runtime is there from the start. Default true. */
  readonly runtimeUp?: boolean;
  /** Called with everything worth a log line or a counter. Must not throw. */
  readonly onRecord?: (record: PullRecord) => void;
  /** One word for how a pull ended, for records. */
  readonly outcomeOf?: (ended: { value: T } | { error: unknown }) => string;
}

/** What `state()` shows: the queue as people ask for it. Times in milliseconds. */
export interface PullState {
  readonly limit: number;
  readonly counted: number;
  readonly adopted: number;
  readonly paused: boolean;
  readonly draining: boolean;
  readonly runtimeUp: boolean;
  readonly running: readonly PullView[];
  readonly waiting: readonly PullView[];
}

export interface PullView {
  readonly id: number;
  readonly image: string;
  readonly registry: string;
  /** Tells pulls of one image with different credentials apart; says nothing about them. */
  readonly key: string;
  readonly callers: number;
  /** Of its callers, as far as they said. */
  readonly podUids: readonly string[];
  readonly pods: readonly string[];
  readonly waitedMs: number;
  readonly runningMs: number;
  readonly state: 'running' | 'verifying' | 'stalled' | 'stopping' | 'waiting';
}

interface Open<T> {
  readonly ask: PullAsk<T>;
  settle(outcome: () => T): void;
}

/**
 * Runs pulls as `step` decides: owns the timer, the promises and the signals, and
 * decides nothing itself. `setLimit` and the others take effect before they return.
 */
export class PullLimiter<T> {
  readonly #clock: PullClock;
  readonly #record: (record: PullRecord) => void;
  readonly #outcomeOf: (ended: { value: T } | { error: unknown }) => string;
  readonly #open = new Map<number, Open<T>>();
  readonly #stops = new Map<number, AbortController>();
  #queue: PullQueue;
  #outcome: (() => T) | undefined;
  #timer: { readonly atMs: number; cancel(): void } | undefined;
  #nextCaller = 1;
  #whenIdle: (() => void)[] = [];
  #see: (queue: PullQueue) => void = () => {};

  constructor(options: PullLimiterOptions<T>) {
    this.#clock = options.clock ?? systemClock;
    this.#record = options.onRecord ?? (() => {});
    this.#outcomeOf = options.outcomeOf ?? ((ended) => ('value' in ended ? 'ok' : 'failed'));
    const queue = emptyQueue(options.limit, options.settings);
    this.#queue = options.runtimeUp === false ? { ...queue, lostAtMs: this.#clock.monotonicMs() } : queue;
  }

  get limit(): number {
    return this.#queue.limit;
  }

  /**
   * Resolves with what `run` of this call, or of one with an equal key, resolved with.
   * @throws PullRefusedError when it was not started; what `run` threw; or the reason of `hangUp`.
   */
  async pull(ask: PullAsk<T>, hangUp: AbortSignal): Promise<T> {
    hangUp.throwIfAborted();
    const id = this.#nextCaller++;
    const nowMs = this.#clock.monotonicMs();
    const askedAtMs = Math.min(ask.askedAtMs ?? nowMs, nowMs);
    const { key, image, registry, presence, limit, podUid, isAccepted } = ask;
    const caller = { id, podUid, askedAtMs, limit, ...patience(ask.onFull, askedAtMs) };
    return await new Promise<T>((resolve, reject) => {
      const hungUp = () => {
        this.#open.delete(id);
        this.#hear({ kind: 'hungUp', callerId: id, with: hangUp.reason === sessionLost ? 'session' : 'call' });
        reject(hangUp.reason);
      };
      const settle = (outcome: () => T) => {
        hangUp.removeEventListener('abort', hungUp);
        try {
          resolve(outcome());
        } catch (error) {
          reject(error);
        }
      };
      this.#open.set(id, { ask, settle });
      hangUp.addEventListener('abort', hungUp, { once: true });
      this.#hear({ kind: 'asked', key, image, registry, presence, caller, isAccepted });
    });
  }

  /** Whether a call with this key would join a pull instead of asking for a place of its own. */
  isOpen(key: string): boolean {
    const { running, waiting } = this.#queue;
    const has = (pull: Pull) => pull.key === key && pull.abandonedAtMs === undefined;
    return running.some(has) || waiting.some(has);
  }

  /** Changes the limit. Running pulls go on; `source` says in the log who wanted it. */
  setLimit(limit: number, source: string): void {
    if (limit === this.#queue.limit) return;
    this.#record({ what: 'limit', from: this.#queue.limit, to: limit, source });
    this.#hear({ kind: 'limitSet', limit });
  }

  setSettings(settings: QueueSettings): void {
    this.#hear({ kind: 'settingsSet', settings });
  }

  /** Starts nothing while paused. */
  setPaused(paused: boolean): void {
    this.#hear({ kind: 'pausedSet', paused });
  }

  runtimeLost(): void {
    if (this.#queue.lostAtMs === undefined) this.#record({ what: 'runtime', up: false });
    this.#hear({ kind: 'runtimeLost' });
  }

  runtimeBack(): void {
    if (this.#queue.lostAtMs !== undefined) this.#record({ what: 'runtime', up: true });
    this.#hear({ kind: 'runtimeBack' });
  }

  /** Calls `see` with the queue now and after every change; for a hand-over. */
  watch(see: (queue: PullQueue) => void): void {
    this.#see = see;
    see(this.#queue);
  }

  /** Counts pulls that another process still runs. */
  adopt(ids: readonly string[]): void {
    this.#hear({ kind: 'adopted', ids });
  }

  adoptedEnded(id: string): void {
    this.#hear({ kind: 'adoptedEnded', id });
  }

  /** While true, another process decides what starts here: see `grant` and `deny`. */
  setGoverned(governed: boolean): void {
    this.#hear({ kind: 'governedSet', governed });
  }

  grant(pullId: number): void {
    this.#hear({ kind: 'granted', pullId });
  }

  deny(pullId: number, reason: RefusalReason): void {
    this.#hear({ kind: 'denied', pullId, reason });
  }

  /** Refuses who waits for an image, and says how many calls that were. */
  drop(image: string): number {
    const dropped = this.#queue.waiting.find((pull) => pull.image === image)?.callers.length ?? 0;
    this.#hear({ kind: 'dropped', image });
    return dropped;
  }

  /** A pull that runs beside the places was seen to fetch something. */
  downloads(pullId: number): void {
    this.#hear({ kind: 'downloads', pullId });
  }

  /** No byte of a pull came for so long. */
  stalled(pullId: number, idleMs: number): void {
    const pull = this.#queue.running.find(({ id }) => id === pullId);
    if (!pull || pull.abandonedAtMs !== undefined) return;
    this.#record({ what: 'stalled', image: pull.image, registry: pull.registry, idleMs });
    this.#hear({ kind: 'stalled', pullId, idleMs });
  }

  /** Bytes of a stalled pull come again. */
  moved(pullId: number): void {
    this.#hear({ kind: 'moved', pullId });
  }

  /** Refuses waiting calls of pods that no longer are, and says how many those were. */
  podsGone(uids: readonly string[]): number {
    const callers = this.#queue.waiting.flatMap((pull) => pull.callers);
    const dropped = callers.filter(({ podUid }) => podUid !== undefined && uids.includes(podUid)).length;
    this.#hear({ kind: 'podsGone', uids });
    return dropped;
  }

  /** Refuses calls from now on; those that wait still get their turn. */
  drain(): void {
    this.#hear({ kind: 'drained' });
  }

  /** Resolves when nothing runs or waits. */
  async whenIdle(): Promise<void> {
    if (isIdle(this.#queue)) return;
    await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
  }

  state(): PullState {
    const nowMs = this.#clock.monotonicMs();
    const { limit, adopted, paused, draining, lostAtMs, running, waiting } = this.#queue;
    return {
      limit,
      counted: counted(this.#queue),
      adopted: adopted.length,
      paused,
      draining,
      runtimeUp: lostAtMs === undefined,
      running: running.map((pull) => this.#viewOf(pull, nowMs)),
      waiting: waiting.map((pull) => this.#viewOf(pull, nowMs)),
    };
  }

  #hear(happened: Happened): void {
    const nowMs = this.#clock.monotonicMs();
    const before = this.#queue;
    const { queue, start, answer, abort, forced } = step(before, happened, nowMs);
    this.#queue = queue;
    for (const pull of abort) this.#stop(pull, before);
    for (const { image } of forced) this.#record({ what: 'forced', image });
    for (const pull of start) this.#start(pull, nowMs);
    for (const one of answer) this.#answer(one, nowMs);
    if (happened.kind === 'asked' && start.length === 0 && answer.length === 0) this.#noteWaiting(happened.caller.id);
    this.#setTimer();
    this.#see(queue);
    if (isIdle(queue)) for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  #start(pull: Pull, nowMs: number): void {
    const leader = pull.callers.map(({ id }) => this.#open.get(id)).find((open) => open !== undefined);
    if (!leader) throw new Error(`pull ${pull.id} started for nobody`);
    const stop = new AbortController();
    this.#stops.set(pull.id, stop);
    const { image, registry, lane, callers, askedAtMs } = pull;
    const places = { counted: counted(this.#queue), limit: this.#queue.limit };
    this.#record({
      what: 'started',
      image,
      registry,
      lane,
      callers: callers.length,
      waitedMs: nowMs - askedAtMs,
      ...places,
    });
    leader.ask.run(stop.signal, pull).then(
      (value) => this.#ended(pull, { value }, () => value),
      (error: unknown) =>
        this.#ended(pull, { error }, () => {
          throw error;
        }),
    );
  }

  #stop({ id, lane, image }: Pull, before: PullQueue): void {
    const wasVerified = lane === 'place' && before.running.some((pull) => pull.id === id && pull.lane === 'present');
    if (wasVerified) this.#record({ what: 'moved tag', image });
    this.#stops.get(id)?.abort(new Error('nobody waits for this pull any more'));
  }

  #ended({ id }: Pull, ended: { value: T } | { error: unknown }, outcome: () => T): void {
    this.#stops.delete(id);
    const pull = this.#queue.running.find((running) => running.id === id);
    if (pull) {
      const endedMs = this.#clock.monotonicMs();
      const startedMs = pull.startedAtMs ?? endedMs;
      this.#record({
        what: 'ended',
        image: pull.image,
        registry: pull.registry,
        key: pull.key.slice(0, 8),
        pods: this.#podsOf(pull),
        outcome: this.#outcomeOf(ended),
        callers: pull.callers.length,
        waitedMs: startedMs - pull.askedAtMs,
        pulledMs: endedMs - startedMs,
        counted: counted(this.#queue),
        limit: this.#queue.limit,
      });
    }
    this.#outcome = outcome;
    this.#hear({ kind: 'ended', pullId: id });
    this.#outcome = undefined;
  }

  #answer(answer: Answer, nowMs: number): void {
    const open = this.#open.get(answer.caller.id);
    if (!open) return;
    this.#open.delete(answer.caller.id);
    if (answer.kind === 'ended') {
      if (this.#outcome) open.settle(this.#outcome);
      return;
    }
    const { caller, image, reason, idleMs = 0 } = answer;
    const waitedMs = nowMs - caller.askedAtMs;
    const limit = Math.min(this.#queue.limit || Infinity, caller.limit || Infinity);
    const { registry } = open.ask;
    const about = { waitedMs, counted: counted(this.#queue), limit, registry, idleMs };
    const error = new PullRefusedError(reason, about);
    this.#record({ what: 'refused', image, reason, waitedMs, podUid: caller.podUid });
    open.settle(() => {
      throw error;
    });
  }

  #noteWaiting(callerId: number): void {
    const joined = this.#queue.running.find(({ callers }) => callers.some(({ id }) => id === callerId));
    if (joined) {
      this.#record({ what: 'joined', image: joined.image });
      return;
    }
    const position = this.#queue.waiting.findIndex(({ callers }) => callers.some(({ id }) => id === callerId));
    const waiting = this.#queue.waiting[position];
    if (!waiting) return;
    const { limit } = this.#queue;
    if (waiting.callers.length > 1) this.#record({ what: 'joined', image: waiting.image });
    else this.#record({ what: 'waiting', image: waiting.image, position: position + 1, limit });
  }

  #setTimer(): void {
    const atMs = this.#queue.nextAtMs;
    if (this.#timer?.atMs === atMs) return;
    this.#timer?.cancel();
    this.#timer = undefined;
    if (atMs === Infinity) return;
    const timer = this.#clock.after(Math.max(0, atMs - this.#clock.monotonicMs()), () => {
      this.#timer = undefined;
      this.#hear({ kind: 'ticked' });
    });
    this.#timer = { atMs, cancel: () => timer.cancel() };
  }

  #podsOf({ callers }: Pull): readonly string[] {
    return [...new Set(callers.flatMap(({ id }) => this.#open.get(id)?.ask.pod ?? []))];
  }

  #viewOf(pull: Pull, nowMs: number): PullView {
    const { id, key, image, registry, callers, askedAtMs, startedAtMs } = pull;
    return {
      id,
      image,
      registry,
      key: key.slice(0, 8),
      callers: callers.length,
      podUids: [...new Set(callers.flatMap(({ podUid }) => podUid ?? []))],
      pods: this.#podsOf(pull),
      waitedMs: (startedAtMs ?? nowMs) - askedAtMs,
      runningMs: startedAtMs === undefined ? 0 : nowMs - startedAtMs,
      state: stateOf(pull),
    };
  }
}

function isIdle({ running, waiting, adopted }: PullQueue): boolean {
  return running.length + waiting.length + adopted.length === 0;
}

function stateOf({ startedAtMs, abandonedAtMs, stalledAtMs, lane }: Pull): PullView['state'] {
  if (startedAtMs === undefined) return 'waiting';
  if (abandonedAtMs !== undefined) return 'stopping';
  if (stalledAtMs !== undefined) return 'stalled';
  return lane === 'present' ? 'verifying' : 'running';
}
