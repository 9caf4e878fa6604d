import type { Clock } from '@slipway/kube';
import type { PullLimiterPort, PullQueue, StartedPull, WaitingPull } from '../pulls/pull-queue.js';

/** A waiting pull of the pod shop/web. */
export function aPull(waitedMs: number, more: Partial<WaitingPull> = {}): WaitingPull {
  return { id: 1, image: 'r/web:1', callers: 1, pods: ['shop/web'], podUids: ['u1'], waitedMs, ...more };
}

/** A pull of the same pod that runs. */
export function aRunningPull(runningMs: number, more: Partial<StartedPull> = {}): StartedPull {
  return { ...aPull(0), state: 'running', runningMs, ...more };
}

/** A queue of a limiter with two slots, both in use. */
export function aQueue(waiting: readonly WaitingPull[] = [], more: Partial<PullQueue> = {}): PullQueue {
  const state = { limit: 2, limitSource: 'configuration', counted: 2, paused: false, runtimeUp: true };
  return { ...state, running: [], waiting, ...more };
}

/** A limiter whose limit is set as that of a pull daemon is, and whose pulls are those that a test says. */
export class FakeLimiter implements PullLimiterPort {
  readonly #clock: Clock;
  #cluster: { readonly limit: number; readonly untilMs: number } | undefined;
  /** Whether it does not answer. */
  isAway = false;
  /** Whether it takes no limit of the cluster, because its gate is off or it is of an earlier version. */
  isPinned = false;
  pulls: () => Partial<PullQueue> = () => ({});

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The limit that applies, and its source. */
  get limit(): string {
    const { limit, limitSource } = this.#queue();
    return `${limit} ${limitSource}`;
  }

  async state(): Promise<PullQueue> {
    if (this.isAway) throw new Error('no limiter answers');
    return this.#queue();
  }

  async setClusterLimit(limit: number, forMs: number): Promise<PullQueue> {
    if (!this.isAway && this.isPinned) throw new Error('the gate is off');
    if (!this.isAway) this.#cluster = { limit, untilMs: this.#clock.monotonicMs() + forMs };
    return await this.state();
  }

  async withdrawClusterLimit(): Promise<PullQueue> {
    if (!this.isAway && this.isPinned) throw new Error('the gate is off');
    if (!this.isAway) this.#cluster = undefined;
    return await this.state();
  }

  #queue(): PullQueue {
    const isSet = this.#cluster !== undefined && this.#cluster.untilMs > this.#clock.monotonicMs();
    const cluster = isSet ? { limit: this.#cluster?.limit ?? 0, limitSource: 'cluster' } : {};
    return aQueue([], { limit: 4, ...cluster, ...this.pulls() });
  }
}
