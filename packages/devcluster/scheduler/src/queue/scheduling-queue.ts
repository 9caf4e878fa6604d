import type { Clock, Timer } from '@slipway/kube';
import type { Demand } from '../demand/demand.js';
import { PriorityBuckets } from './priority-buckets.js';

const firstBackoffMs = 1_000;
const longestBackoffMs = 10_000;
/** A parked pod is tried after this long even if nothing happened: an event may have been misjudged. */
const longestParkedMs = 5 * 60_000;

/** A pod that fitted nowhere, and what kept it from the nodes. */
export interface Parked {
  readonly demand: Demand;
  /** Names of the filters that objected. */
  readonly objectors: ReadonlySet<string>;
}

interface Entry {
  readonly priority: number;
  readonly attempts: number;
  /** `active`: to be tried. `eager`: to be tried when nothing else is. `parked`, `failed`: not now. */
  readonly state: 'active' | 'eager' | 'parked' | 'failed';
  readonly notBeforeMs: number;
  readonly parked?: Parked;
  readonly timer?: Timer;
}

/**
 * Pods that wait for a node. Higher priority first, then first come, first served.
 *
 * A pod that fitted nowhere is parked until something happens that may help it. Then it is tried when
 * no other pod waits, and at the latest when its backoff is over: 1 s after the first failure, doubling
 * up to 10 s. A pod that could not be bound waits for its backoff in any case.
 */
export class SchedulingQueue {
  readonly #clock: Clock;
  readonly #onReady: () => void;
  readonly #entries = new Map<string, Entry>();
  readonly #parked = new Set<string>();
  readonly #active = new PriorityBuckets();
  readonly #eager = new PriorityBuckets();
  /** Failures of pods that are being tried. */
  readonly #attempts = new Map<string, number>();

  /** `onReady` is called when a pod can be taken that could not before. */
  constructor(clock: Clock, onReady: () => void) {
    this.#clock = clock;
    this.#onReady = onReady;
  }

  /** A pod wants a node. Does nothing for one that waits already. */
  add(key: string, priority: number): void {
    if (!this.#entries.has(key)) this.#put(key, this.#entry(key, priority, 'active'));
  }

  /** A waiting pod itself changed: worth a try at once. */
  changed(key: string, priority: number): void {
    this.#put(key, this.#entry(key, priority, 'active'));
  }

  /** The next pod to place, which then no longer waits. */
  take(): string | undefined {
    const key = this.#active.first() ?? this.#eager.first();
    if (key !== undefined) this.#remove(key);
    return key;
  }

  /** No node could take the pod. */
  park(key: string, parked: Parked): void {
    const { priority } = parked.demand;
    const attempts = this.#countFailure(key);
    const timer = this.#clock.after(longestParkedMs, () => this.#activate(key));
    this.#put(key, { priority, attempts, state: 'parked', notBeforeMs: this.#backoff(attempts), parked, timer });
  }

  /** The pod was given a node but could not be put there. */
  failed(key: string, priority: number): void {
    const attempts = this.#countFailure(key);
    const notBeforeMs = this.#backoff(attempts);
    const timer = this.#clock.after(notBeforeMs - this.#clock.monotonicMs(), () => this.#activate(key));
    this.#put(key, { priority, attempts, state: 'failed', notBeforeMs, timer });
  }

  /** Something happened that may help those parked pods for which `helps` says so. */
  wake(helps: (parked: Parked) => boolean): void {
    for (const key of [...this.#parked]) {
      const { parked, priority, attempts, notBeforeMs } = this.#entries.get(key) as Entry;
      if (!parked || !helps(parked)) continue;
      const waitMs = notBeforeMs - this.#clock.monotonicMs();
      const entry = { priority, attempts, notBeforeMs };
      if (waitMs <= 0) this.#put(key, { ...entry, state: 'active' });
      else this.#put(key, { ...entry, state: 'eager', timer: this.#clock.after(waitMs, () => this.#activate(key)) });
    }
  }

  /** The pod is gone or has a node. */
  forget(key: string): void {
    this.#remove(key);
    this.#attempts.delete(key);
  }

  /** Cancels every timer. */
  close(): void {
    for (const { timer } of this.#entries.values()) timer?.cancel();
  }

  #activate(key: string): void {
    const entry = this.#entries.get(key);
    if (entry) this.#put(key, this.#entry(key, entry.priority, 'active'));
  }

  #entry(key: string, priority: number, state: Entry['state']): Entry {
    const attempts = this.#entries.get(key)?.attempts ?? this.#attempts.get(key) ?? 0;
    return { priority, attempts, state, notBeforeMs: 0 };
  }

  #put(key: string, entry: Entry): void {
    this.#remove(key);
    this.#entries.set(key, entry);
    this.#attempts.delete(key);
    if (entry.state === 'parked') this.#parked.add(key);
    if (entry.state === 'active') this.#active.add(key, entry.priority);
    if (entry.state === 'eager') this.#eager.add(key, entry.priority);
    if (entry.state === 'active' || entry.state === 'eager') this.#onReady();
  }

  #remove(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    entry.timer?.cancel();
    this.#entries.delete(key);
    this.#parked.delete(key);
    this.#active.delete(key, entry.priority);
    this.#eager.delete(key, entry.priority);
    this.#attempts.set(key, entry.attempts);
  }

  #countFailure(key: string): number {
    return (this.#entries.get(key)?.attempts ?? this.#attempts.get(key) ?? 0) + 1;
  }

  #backoff(attempts: number): number {
    const backoffMs = Math.min(longestBackoffMs, firstBackoffMs * 2 ** Math.min(attempts - 1, 10));
    return this.#clock.monotonicMs() + backoffMs;
  }
}
