import type { Answer, Pull, PullQueue } from './queue-state.js';

/** What has to be done. `forced` are pulls whose slot was freed although they never ended. */
export interface Effects {
  readonly start: readonly Pull[];
  readonly answer: readonly Answer[];
  readonly abort: readonly Pull[];
  readonly forced: readonly Pull[];
}

/** A queue as it is from now on, and what has to be done. */
export interface Step extends Effects {
  readonly queue: PullQueue;
}

const none: Effects = { start: [], answer: [], abort: [], forced: [] };

/** A step of which only the named effects have to be done. */
export function stepTo(queue: PullQueue, effects: Partial<Effects> = none): Step {
  return { ...none, ...effects, queue };
}

/** Takes one more step, and adds its effects to those of the steps before. */
export function andThen(before: Step, take: (queue: PullQueue) => Step): Step {
  const next = take(before.queue);
  return {
    queue: next.queue,
    start: joined(before.start, next.start),
    answer: joined(before.answer, next.answer),
    abort: joined(before.abort, next.abort),
    forced: joined(before.forced, next.forced),
  };
}

/** Makes sure that the queue is looked at by `atMs`. */
export function wakeBy(queue: PullQueue, atMs: number): PullQueue {
  return atMs < queue.nextAtMs ? { ...queue, nextAtMs: atMs } : queue;
}

function joined<T>(before: readonly T[], next: readonly T[]): readonly T[] {
  if (next.length === 0) return before;
  return before.length === 0 ? next : [...before, ...next];
}
