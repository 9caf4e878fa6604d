import { TokenBucket } from '../client/token-bucket.js';
import type { Clock, Timer } from '../clock/clock.js';
import { restAfterLongTurn } from '../clock/turn.js';

export interface WorkQueueOptions {
  readonly clock: Clock;
  /** First delay of a key that failed; doubles with each failure in a row. */
  readonly minBackoffMs?: number;
  readonly maxBackoffMs?: number;
  /** Failures of all keys together: how many per second on average, and how many at once. */
  readonly failuresPerSecond?: number;
  readonly failureBurst?: number;
}

/**
 * Keys that want work. A key waits at most once however often it is added, and is
 * never handed out while a worker processes it: added meanwhile, it comes again after `done`.
 *
 * Invariant: every `add` is followed by a `get` of that key that starts later, unless the queue is shut down.
 */
export class WorkQueue<K> {
  readonly #clock: Clock;
  readonly #minBackoffMs: number;
  readonly #maxBackoffMs: number;
  readonly #failures: TokenBucket;
  /** Keys that want work and are not being worked on, in order. */
  readonly #waiting = new Set<K>();
  readonly #processing = new Set<K>();
  /** Keys added while being worked on. */
  readonly #again = new Set<K>();
  readonly #later = new Map<K, { readonly atMs: number; readonly timer: Timer }>();
  /** End the rest of keys, which count as being worked on until then. */
  readonly #resting = new Set<Timer>();
  readonly #failureCounts = new Map<K, number>();
  readonly #takers: ((key: K | undefined) => void)[] = [];
  #isShutDown = false;

  constructor(options: WorkQueueOptions) {
    this.#clock = options.clock;
    this.#minBackoffMs = options.minBackoffMs ?? 5;
    this.#maxBackoffMs = options.maxBackoffMs ?? 60_000;
    this.#failures = new TokenBucket({
      clock: options.clock,
      perSecond: options.failuresPerSecond ?? 10,
      burst: options.failureBurst ?? 100,
      maxWaitMs: this.#maxBackoffMs,
    });
  }

  /** How many keys wait to be handed out. */
  get length(): number {
    return this.#waiting.size;
  }

  /** Asks for work on a key now. A later appointment of the key stands. */
  add(key: K): void {
    if (this.#isShutDown) return;
    if (this.#processing.has(key)) {
      this.#again.add(key);
      return;
    }
    const taker = this.#waiting.has(key) ? undefined : this.#takers.shift();
    if (taker) {
      this.#processing.add(key);
      taker(key);
    } else {
      this.#waiting.add(key);
    }
  }

  /** Asks for work on a key in `delayMs`, or sooner if that was asked for already. */
  addAfter(key: K, delayMs: number): void {
    if (this.#isShutDown) return;
    if (!(delayMs > 0)) {
      this.add(key);
      return;
    }
    const atMs = this.#clock.monotonicMs() + delayMs;
    const set = this.#later.get(key);
    if (set && set.atMs <= atMs) return;
    set?.timer.cancel();
    const timer = this.#clock.after(delayMs, () => {
      this.#later.delete(key);
      this.add(key);
    });
    this.#later.set(key, { atMs, timer });
  }

  /** Asks for work on a key that failed, later the more often it failed since `forget`. */
  addRateLimited(key: K): void {
    const failures = this.#failureCounts.get(key) ?? 0;
    this.#failureCounts.set(key, failures + 1);
    const backoffMs = Math.min(this.#maxBackoffMs, this.#minBackoffMs * 2 ** Math.min(failures, 40));
    this.addAfter(key, Math.max(backoffMs, this.#failures.reserve()));
  }

  /** How often a key failed in a row. */
  failures(key: K): number {
    return this.#failureCounts.get(key) ?? 0;
  }

  /** A key succeeded, or is given up: its next failure counts as the first. */
  forget(key: K): void {
    this.#failureCounts.delete(key);
  }

  /**
   * The next key to work on; call `done` with it afterwards. Undefined once the queue is shut down.
   *
   * Yields to the event loop when keys were handed out for 8 ms without a break: a worker whose keys need no I/O, or
   * add each other, would otherwise block the process.
   */
  get(): Promise<K | undefined> {
    return restAfterLongTurn(this.#clock)?.then(() => this.#take()) ?? this.#take();
  }

  #take(): Promise<K | undefined> {
    if (this.#isShutDown) return Promise.resolve(undefined);
    for (const key of this.#waiting) {
      this.#waiting.delete(key);
      this.#processing.add(key);
      return Promise.resolve(key);
    }
    return new Promise((resolve) => void this.#takers.push(resolve));
  }

  /**
   * Work on a key has ended, well or not. It is not handed out again for `restMs`, however often it is added
   * meanwhile: what costs much is then done once for many changes.
   */
  done(key: K, restMs = 0): void {
    if (restMs > 0 && !this.#isShutDown) {
      const timer = this.#clock.after(restMs, () => {
        this.#resting.delete(timer);
        this.done(key);
      });
      this.#resting.add(timer);
      return;
    }
    this.#processing.delete(key);
    if (this.#again.delete(key)) this.add(key);
  }

  /** Hands out nothing more and takes nothing more; keys that wait are dropped. */
  shutDown(): void {
    this.#isShutDown = true;
    for (const { timer } of this.#later.values()) timer.cancel();
    this.#later.clear();
    for (const timer of this.#resting) timer.cancel();
    this.#resting.clear();
    this.#waiting.clear();
    this.#again.clear();
    for (const take of this.#takers.splice(0)) take(undefined);
  }
}
