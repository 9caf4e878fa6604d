import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { type Clock, systemClock } from '@slipway/kube';

/** How often the event loop is looked at, in milliseconds. */
const lookEveryMs = 100;
/** The share of its time the event loop works when the process counts as busy, and when as resting. */
const busyFrom = 0.5;
const restingBelow = 0.2;
/** Looks in a row before a process counts as busy: one collection alone takes up to two. */
const looksUntilBusy = 3;
const looksUntilResting = 50;
/** Looks after which a process that rests is collected once more: what the first time let go is put together then. */
const collectAgainAfter = [50, 150] as const;
/** How long V8 is asked to begin: it does so when the program allocates the next time. */
const looksToBegin = 20;

/** What V8 is asked for. */
export interface HeapAim {
  /** Keep the heap small: collect soon, and put half-empty pages together each time. */
  readonly small: boolean;
  /** Begin to collect now, in small steps. */
  readonly collect: boolean;
}

/**
 * Decides from how busy the event loop is what the garbage collector aims at. A process that answers many requests is
 * to spend its time on them; one that rests is to give back what the work has left behind, which V8 by itself does
 * only for a process that does nothing at all, and a control plane never does.
 */
export class HeapPolicy {
  #small = false;
  #busyLooks = 0;
  #restingLooks = 0;

  /** What to aim at after a stretch in which the event loop worked this share of the time, from 0 to 1. */
  look(utilization: number): HeapAim {
    this.#busyLooks = utilization > busyFrom ? this.#busyLooks + 1 : 0;
    if (this.#busyLooks >= looksUntilBusy) this.#small = false;
    if (this.#small) this.#restingLooks += 1;
    else {
      this.#restingLooks = utilization < restingBelow ? this.#restingLooks + 1 : 0;
      this.#small = this.#restingLooks >= looksUntilResting;
      if (this.#small) this.#restingLooks = 0;
    }
    return { small: this.#small, collect: this.#small && this.#isTimeToCollect() };
  }

  #isTimeToCollect(): boolean {
    const begun = (from: number) => this.#restingLooks >= from && this.#restingLooks < from + looksToBegin;
    return begun(0) || collectAgainAfter.some(begun);
  }
}

/**
 * By how many percent the heap may grow before it is collected again. What a cluster allocates is mostly garbage soon;
 * left to itself V8 lets three times as much lie about as lives.
 */
const growth = { small: 40, fast: 100 } as const;

/** Has V8 collect as {@link HeapPolicy} says for as long as this process lives. */
export function followHeapPolicy(clock: Clock = systemClock): void {
  const policy = new HeapPolicy();
  let before = performance.eventLoopUtilization();
  let aim: HeapAim = { small: true, collect: false };
  const look = () => {
    const now = performance.eventLoopUtilization();
    const next = policy.look(performance.eventLoopUtilization(now, before).utilization);
    before = now;
    if (next.small !== aim.small) setAim(next.small);
    if (next.collect !== aim.collect) setFlagsFromString(`--incremental-marking-hard-trigger=${next.collect ? 1 : 0}`);
    aim = next;
    clock.after(lookEveryMs, look);
  };
  look();
}

function setAim(small: boolean): void {
  setFlagsFromString(small ? '--optimize-for-size' : '--no-optimize-for-size');
  setFlagsFromString(`--heap-growing-percent=${small ? growth.small : growth.fast}`);
}
