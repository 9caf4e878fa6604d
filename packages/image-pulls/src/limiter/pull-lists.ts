import type { Pull, PullQueue } from './queue-state.js';

/** Replaces the pull with the same id. */
export function replaced(pulls: readonly Pull[], pull: Pull): readonly Pull[] {
  return pulls.map((other) => (other.id === pull.id ? pull : other));
}

/** Inserts a pull by its time: one that was handed over or stopped keeps its position in the queue. */
export function queueUp(queue: PullQueue, pull: Omit<Pull, 'id'>): PullQueue {
  const { waiting, nextId } = queue;
  const after = waiting.findLastIndex((other) => other.askedAtMs <= pull.askedAtMs);
  return {
    ...queue,
    waiting: waiting.toSpliced(after + 1, 0, { ...pull, id: nextId }),
    someThere: queue.someThere || pull.presence !== 'absent',
    nextId: nextId + 1,
  };
}

/** A pull that the runtime is told to stop. It holds its slot until it has ended, or `abortTimeoutMs` is over. */
export function abandoned(pull: Pull, nowMs: number): Pull {
  const { keepUntilMs: _, ...kept } = pull;
  return { ...kept, abandonedAtMs: nowMs };
}
