import { type PullClock, systemClock } from './clock.js';
import { patience } from './on-full.js';
import { OpenCalls } from './open-calls.js';
import { type CallingPod, type PullAsk, sessionLost } from './pull-ask.js';
import { step } from './pull-queue.js';
import { arrivedRecord, endedRecord, type PullRecord, startedRecord } from './pull-record.js';
import { PullRefusedError } from './pull-refused-error.js';
import { type PullState, pullState } from './pull-state.js';
import {
  type Answer,
  counted,
  emptyQueue,
  type Pull,
  type PullQueue,
  type QueueEvent,
  type QueueSettings,
  type RefusalReason,
} from './queue-state.js';

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

/**
 * Runs pulls as `step` decides: owns the timer, the promises and the signals, and
 * decides nothing itself. `setLimit` and the others take effect before they return.
 */
export class PullLimiter<T> {
  readonly #clock: PullClock;
  readonly #record: (record: PullRecord) => void;
  readonly #outcomeOf: (ended: { value: T } | { error: unknown }) => string;
  readonly #calls = new OpenCalls<T>();
  readonly #stops = new Map<number, AbortController>();
  #queue: PullQueue;
  #timer: { readonly atMs: number; cancel(): void } | undefined;
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
    const nowMs = this.#clock.monotonicMs();
    const askedAtMs = Math.min(ask.askedAtMs ?? nowMs, nowMs);
    const { key, image, registry, presence, limit, podUid, isAccepted } = ask;
    const patient = { podUid, askedAtMs, limit, ...patience(ask.onFull, askedAtMs) };
    return await this.#calls.open(ask, hangUp, {
      arrived: (id) =>
        this.#hear({ kind: 'asked', key, image, registry, presence, isAccepted, caller: { id, ...patient } }),
      left: (callerId) =>
        this.#hear({ kind: 'hungUp', callerId, with: hangUp.reason === sessionLost ? 'session' : 'call' }),
    });
  }

  /** Whether a call with this key would join a pull instead of asking for a slot of its own. */
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

  /** The pods that a pull of this queue is for, one for each of its callers. */
  callersOf(pull: Pull): readonly CallingPod[] {
    return this.#calls.asksFor(pull).map(({ podUid, pod }) => ({ podUid, pod }));
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

  /** A pull that runs beside the slots was seen to fetch something. */
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
    return pullState(this.#queue, (pull) => this.#calls.podsFor(pull), this.#clock.monotonicMs());
  }

  /** @param outcome what the callers of a pull that ended get */
  #hear(event: QueueEvent, outcome?: () => T): void {
    const nowMs = this.#clock.monotonicMs();
    const before = this.#queue;
    const { queue, start, answer, abort, forced } = step(before, event, nowMs);
    this.#queue = queue;
    for (const pull of abort) this.#stop(pull, before);
    for (const { image } of forced) this.#record({ what: 'forced', image });
    for (const pull of start) this.#start(pull, nowMs);
    for (const one of answer) this.#answer(one, nowMs, outcome);
    if (event.kind === 'asked' && start.length === 0 && answer.length === 0) {
      const arrived = arrivedRecord(this.#queue, event.caller.id);
      if (arrived) this.#record(arrived);
    }
    this.#setTimer();
    this.#see(queue);
    if (isIdle(queue)) for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  #start(pull: Pull, nowMs: number): void {
    const [leader] = this.#calls.asksFor(pull);
    if (!leader) throw new Error(`pull ${pull.id} started without a caller`);
    const stop = new AbortController();
    this.#stops.set(pull.id, stop);
    this.#record(startedRecord(pull, this.#queue, nowMs));
    leader.run(stop.signal, pull).then(
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
    this.#stops.get(id)?.abort(new Error('no caller waits for this pull any more'));
  }

  #ended({ id }: Pull, ended: { value: T } | { error: unknown }, outcome: () => T): void {
    this.#stops.delete(id);
    const pull = this.#queue.running.find((running) => running.id === id);
    if (pull) {
      const about = { pods: this.#calls.podsFor(pull), outcome: this.#outcomeOf(ended) };
      this.#record(endedRecord(pull, this.#queue, { ...about, nowMs: this.#clock.monotonicMs() }));
    }
    this.#hear({ kind: 'ended', pullId: id }, outcome);
  }

  #answer(answer: Answer, nowMs: number, outcome: (() => T) | undefined): void {
    const { id, askedAtMs, podUid, limit: own } = answer.caller;
    const ask = this.#calls.ask(id);
    if (!ask) return;
    if (answer.kind === 'ended') {
      if (outcome) this.#calls.answer(id, outcome);
      return;
    }
    const { image, reason, idleMs = 0 } = answer;
    const waitedMs = nowMs - askedAtMs;
    const limit = Math.min(this.#queue.limit || Infinity, own || Infinity);
    const about = { waitedMs, counted: counted(this.#queue), limit, registry: ask.registry, idleMs };
    const error = new PullRefusedError(reason, about);
    this.#record({ what: 'refused', image, reason, waitedMs, podUid });
    this.#calls.answer(id, () => {
      throw error;
    });
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
}

function isIdle({ running, waiting, adopted }: PullQueue): boolean {
  return running.length + waiting.length + adopted.length === 0;
}
