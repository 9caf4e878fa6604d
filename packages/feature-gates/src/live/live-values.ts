import { backoffMs } from '../uses/backoff.js';
import { type GateClock, keepProcessAlive, withinTime } from '../uses/clock.js';
import { follow } from '../uses/follow.js';
import type { GateTransport } from '../uses/transport.js';
import { handOver } from './hand-over.js';
import { takeLastGood } from './last-good.js';
import { LastGoodKeeper } from './last-good-keeper.js';
import type { LiveGates } from './live-gates.js';
import { type Follower, type Published, readPublished } from './published.js';

/** Where published values come from and where they are kept. */
export interface LiveValuesOptions {
  readonly transport: GateTransport;
  readonly namespace: string;
  /** Who this process is, to canaries and to centrally set features. */
  readonly follower: Follower;
  /** File of the values last in effect. None is kept when absent. */
  readonly cacheFile?: string | undefined;
  readonly clock: GateClock;
  readonly random: () => number;
  readonly log: (line: string) => void;
}

/** A published value, or that of the process itself: `own` now, `withdrawn` from the next start on. */
type Wanted = Published | 'own' | 'withdrawn';

interface Failure {
  readonly wanted: Wanted;
  readonly times: number;
  readonly againMs: number;
}

/**
 * Follows the values that Features of the namespace publish.
 *
 * A value counts once every handler of its gate agreed. While the API is away the
 * last values hold; at start those of the file do, until the API says otherwise or
 * turns out to be another cluster's.
 */
export class LiveValues {
  readonly #gates: LiveGates;
  readonly #options: LiveValuesOptions;
  readonly #keeper: LastGoodKeeper | undefined;
  readonly #end = new AbortController();
  readonly #wanted = new Map<string, Wanted>();
  readonly #failed = new Map<string, Failure>();
  /** Gates whose value is only the file's word so far, and the cluster it speaks of. */
  readonly #unconfirmed = new Set<string>();
  #fileUid: string | undefined;
  #heard = false;
  /** The start is over: who waited for the first values goes on with what is in effect. */
  #started = false;
  #converging = false;
  #again = false;
  #retry: { cancel(): void } | undefined;
  readonly #first: Promise<void>;
  #endFirst: () => void = () => {};

  constructor(gates: LiveGates, options: LiveValuesOptions) {
    this.#gates = gates;
    this.#options = options;
    const { cacheFile, log } = options;
    if (cacheFile !== undefined) this.#keeper = new LastGoodKeeper(cacheFile, options, log, this.#end.signal);
    this.#first = new Promise((resolve) => {
      this.#endFirst = resolve;
    });
  }

  /** Takes over what the file says and begins to follow. Returns at once and never throws. */
  start(): void {
    this.#takeFile();
    const { transport, namespace, clock, random, log } = this.#options;
    const [first, ...others] = this.#gates.names;
    void follow({
      transport,
      path: `/apis/features.slipway.dev/v1alpha1/namespaces/${encodeURIComponent(namespace)}/features`,
      name: others.length === 0 ? first?.toLowerCase() : undefined,
      onState: (features) => this.#hear(features),
      onAway: () => this.#gates.noteStale(true),
      log,
      clock,
      random,
      signal: this.#end.signal,
    });
  }

  stop(): void {
    this.#end.abort(new Error('following published values was stopped'));
    this.#retry?.cancel();
  }

  /** Whether the values of the API were brought into effect, as far as they can be, within `timeoutMs`. */
  async firstValues(timeoutMs: number): Promise<boolean> {
    const { clock } = this.#options;
    const first = () => this.#first.then(() => true);
    const heard = withinTime(clock, timeoutMs, this.#end.signal, first);
    const inTime = await keepProcessAlive(heard).catch(() => false);
    this.#started = true;
    return inTime;
  }

  /** Something other than a published value changed: a gate may be free now, or its dependencies met. */
  reconsider(): void {
    void this.#converge();
  }

  #takeFile(): void {
    const lastGood = this.#keeper?.read();
    if (!lastGood) return;
    this.#fileUid = lastGood.clusterUid;
    for (const gate of this.#gates.names) {
      const published = lastGood.values.get(gate);
      if (!published) continue;
      this.#unconfirmed.add(gate);
      this.#wanted.set(gate, published);
    }
    takeLastGood(this.#gates, lastGood.values);
    void this.#converge();
  }

  #hear(features: ReadonlyMap<string, unknown>): void {
    this.#heard = true;
    this.#gates.noteStale(false);
    for (const feature of features.values()) {
      const { gate, published } = readPublished(feature, this.#options.follower) ?? {};
      if (gate === undefined || published === undefined || !this.#gates.names.includes(gate)) continue;
      this.#unconfirmed.delete(gate);
      if (published === 'withdrawn' && !this.#wanted.has(gate)) continue;
      if (!sameWish(this.#wanted.get(gate), published)) this.#wanted.set(gate, published);
    }
    void this.#converge();
  }

  /** Brings every gate to what is wanted, one change at a time. Never rejects. */
  async #converge(): Promise<void> {
    this.#again = true;
    if (this.#converging) return;
    this.#converging = true;
    while (this.#again && !this.#end.signal.aborted) {
      this.#again = false;
      const heard = this.#heard;
      if (heard) await this.#checkCluster();
      for (const gate of this.#wanted.keys()) {
        // A change can make another possible that its dependencies forbade.
        if (await this.#bring(gate)) this.#again = true;
      }
      if (!heard || this.#again) continue;
      await this.#keeper?.save(this.#forNextStart());
      this.#endFirst();
    }
    this.#converging = false;
    this.#planRetry();
  }

  /** Whether the value in effect changed. */
  async #bring(gate: string): Promise<boolean> {
    const gates = this.#gates;
    const wanted = this.#wanted.get(gate);
    if (wanted === undefined || this.#end.signal.aborted) return false;
    const from = gates.valueOf(gate);
    const to = isOwn(wanted) ? gates.withoutPublished(gate) : wanted.value;
    const isPinned = gates.isPinned(gate);
    const isPending = !isPinned && from !== to && this.#isTooLate(gate, wanted);
    gates.notePendingRestart(gate, isPending);
    if (isPinned || isPending) {
      this.#failed.delete(gate);
      gates.noteApplyError(gate, undefined);
      return false;
    }
    if (from !== to && !(await this.#change(gate, wanted, from, to))) return false;
    this.#failed.delete(gate);
    gates.accept(gate, isOwn(wanted) ? undefined : wanted.value);
    gates.noteApplyError(gate, undefined);
    return from !== to;
  }

  /** Whether the value is only for a start, and the process has begun to act on another one. */
  #isTooLate(gate: string, wanted: Wanted): boolean {
    const isForStart = isOwn(wanted) ? wanted === 'withdrawn' : wanted.atStart === true;
    const onlyAtStart = !this.#gates.isLive(gate) || isForStart;
    return onlyAtStart && (this.#started || this.#gates.wasRead(gate));
  }

  /** Whether the component is ready for the new value. */
  async #change(gate: string, wanted: Wanted, from: boolean, to: boolean): Promise<boolean> {
    const failed = this.#failed.get(gate);
    const before = failed?.wanted === wanted ? failed : undefined;
    if (before && this.#options.clock.monotonicMs() < before.againMs) return false;
    const refusal = this.#gates.refusalOf(gate, to);
    if (refusal !== undefined) {
      this.#failed.delete(gate);
      this.#gates.noteApplyError(gate, refusal);
      return false;
    }
    try {
      await handOver(this.#gates.handlersOf(gate), from, to);
    } catch (error) {
      this.#noteFailure(gate, wanted, (before?.times ?? 0) + 1, error);
      return false;
    }
    return !this.#end.signal.aborted;
  }

  #noteFailure(gate: string, wanted: Wanted, times: number, error: unknown): void {
    const { clock, random, log } = this.#options;
    const waitMs = backoffMs(times, random);
    this.#failed.set(gate, { wanted, times, againMs: clock.monotonicMs() + waitMs });
    const message = error instanceof Error ? error.message : String(error);
    if (times === 1) log(`feature gate ${gate} stays as it is, its change was refused: ${message}`);
    this.#gates.noteApplyError(gate, message);
  }

  #planRetry(): void {
    this.#retry?.cancel();
    if (this.#failed.size === 0 || this.#end.signal.aborted) return;
    const { clock } = this.#options;
    const againMs = Math.min(...[...this.#failed.values()].map((failure) => failure.againMs));
    this.#retry = clock.after(Math.max(0, againMs - clock.monotonicMs()), () => void this.#converge());
  }

  /** Drops what the file said of another cluster and the API does not confirm. */
  async #checkCluster(): Promise<void> {
    const uid = await this.#keeper?.clusterUid();
    if (uid === undefined || this.#fileUid === undefined || uid === this.#fileUid) return;
    for (const gate of this.#unconfirmed) this.#wanted.set(gate, 'own');
    this.#unconfirmed.clear();
  }

  /** The published values in effect, and those that wait for a start. */
  #forNextStart(): ReadonlyMap<string, Published> {
    const values = new Map<string, Published>();
    for (const [gate, wanted] of this.#wanted) {
      if (isOwn(wanted) || this.#gates.isPinned(gate)) continue;
      if (this.#gates.valueOf(gate) === wanted.value || this.#isTooLate(gate, wanted)) values.set(gate, wanted);
    }
    return values;
  }
}

function isOwn(wanted: Wanted): wanted is 'own' | 'withdrawn' {
  return wanted === 'own' || wanted === 'withdrawn';
}

function sameWish(a: Wanted | undefined, b: Wanted): boolean {
  if (typeof a !== 'object' || isOwn(b)) return a === b;
  return a.value === b.value && a.epoch === b.epoch && a.atStart === b.atStart;
}
