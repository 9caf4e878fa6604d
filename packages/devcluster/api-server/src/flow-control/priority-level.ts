import type { Clock } from '@slipway/kube';
import type { LevelShares, PriorityLevelSpec, Queuing } from '@slipway/kube-objects/kinds/flow-objects';
import { SeatDemand } from './seat-demand.js';
import { dealHand } from './shuffle-sharding.js';

/** Why a request is not let in, in the words of the metrics of Kubernetes. */
export type Refusal = 'queue-full' | 'concurrency-limit' | 'time-out';

/** How many requests of a level may run at once: as configured, with what is lent or borrowed, and now. */
export interface LevelLimits {
  readonly nominal: number;
  readonly lower: number;
  readonly upper: number;
  readonly current: number;
}

interface Waiting {
  admit(): void;
}

/** Requests that wait behind each other. */
interface Queue {
  readonly waiting: Waiting[];
}

/** How long a request waits at most: a fourth of the minute that it has. */
const longestWaitMs = 15_000;

/**
 * Lets so many requests of a priority level run at once, and the others wait in queues, which take turns.
 *
 * Invariant: no request of a limited level waits while a seat is free.
 */
export class PriorityLevel {
  readonly name: string;
  readonly demand: SeatDemand;
  #spec: PriorityLevelSpec;
  #limits: LevelLimits = { nominal: 0, lower: 0, upper: 0, current: 0 };
  #queues: Queue[] = [];
  /** Queues with waiting requests, in the order of service. */
  #turns: Queue[] = [];
  #running = 0;

  constructor(name: string, spec: PriorityLevelSpec, nowMs: number) {
    this.name = name;
    this.demand = new SeatDemand(nowMs);
    this.#spec = spec;
    this.configure(spec);
  }

  get isExempt(): boolean {
    return this.#spec.type === 'Exempt';
  }

  get shares(): LevelShares {
    return sharesOf(this.#spec);
  }

  get borrowingLimitPercent(): number | undefined {
    return this.#spec.limited?.borrowingLimitPercent;
  }

  get limits(): LevelLimits {
    return this.#limits;
  }

  /** Whoever waits keeps the place, also in queues that there are no more. */
  configure(spec: PriorityLevelSpec): void {
    this.#spec = spec;
    const { queues = 0 } = queuingOf(spec) ?? {};
    this.#queues.length = Math.min(queues, this.#queues.length);
  }

  limit(limits: LevelLimits): void {
    this.#limits = limits;
    this.#fillSeats();
  }

  /**
   * Takes a seat for a request of a flow: at once (undefined), later, or never. Who got one must `leave`.
   * `flow` is asked for when requests must wait, since few do.
   */
  enter(flow: () => string, clock: Clock, nowMs: number): undefined | Refusal | Promise<undefined | Refusal> {
    if (this.isExempt || (this.#hasSeat() && this.#turns.length === 0)) {
      this.#running++;
      this.demand.add(1, nowMs);
      return undefined;
    }
    const queuing = queuingOf(this.#spec);
    if (!queuing) return 'concurrency-limit';
    const queue = this.#shortest(dealHand(flow(), queuing.queues, queuing.handSize));
    if (queue.waiting.length >= queuing.queueLengthLimit) return 'queue-full';
    this.demand.add(1, nowMs);
    return this.#wait(queue, clock);
  }

  leave(nowMs: number): void {
    this.#running--;
    this.demand.add(-1, nowMs);
    this.#fillSeats();
  }

  #wait(queue: Queue, clock: Clock): Promise<undefined | Refusal> {
    return new Promise((resolve) => {
      const timer = clock.after(longestWaitMs, () => {
        this.#giveUp(queue, waiting);
        this.demand.add(-1, clock.monotonicMs());
        resolve('time-out');
      });
      const waiting: Waiting = {
        admit: () => {
          timer.cancel();
          resolve(undefined);
        },
      };
      if (queue.waiting.push(waiting) === 1) this.#turns.push(queue);
    });
  }

  #giveUp(queue: Queue, waiting: Waiting): void {
    queue.waiting.splice(queue.waiting.indexOf(waiting), 1);
    if (queue.waiting.length === 0) this.#turns = this.#turns.filter((one) => one !== queue);
  }

  #fillSeats(): void {
    while (this.#hasSeat()) {
      const queue = this.#turns.shift();
      if (!queue) return;
      const next = queue.waiting.shift();
      if (queue.waiting.length > 0) this.#turns.push(queue);
      if (!next) continue;
      this.#running++;
      next.admit();
    }
  }

  /** A level without a seat of its own still lets in one at a time. */
  #hasSeat(): boolean {
    return this.#running < Math.max(1, this.#limits.current);
  }

  #shortest(hand: readonly number[]): Queue {
    const queues = hand.map((index) => this.#queueAt(index));
    return queues.reduce((best, queue) => (queue.waiting.length < best.waiting.length ? queue : best));
  }

  #queueAt(index: number): Queue {
    const there = this.#queues[index];
    if (there) return there;
    const made: Queue = { waiting: [] };
    this.#queues[index] = made;
    return made;
  }
}

function queuingOf({ limited }: PriorityLevelSpec): Queuing | undefined {
  return limited?.limitResponse.type === 'Queue' ? limited.limitResponse.queuing : undefined;
}

function sharesOf({ limited, exempt }: PriorityLevelSpec): LevelShares {
  return limited ?? exempt ?? {};
}
