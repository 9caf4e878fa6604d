import { yieldToEventLoop } from '@slipway/api-machinery/event-loop/yield-to-event-loop';

/** Begun in one turn of the event loop: each sets off a write with all that it needs. */
const begunAtOnce = 32;

/**
 * Runs `act` `count` times in growing batches: 1, 2, 4, 8 ... When one fails no new
 * batch starts, so that a request that cannot succeed (no quota, refused by admission) is not
 * sent a thousand times.
 *
 * @returns how many succeeded and the first error, if any.
 */
export async function slowStart(
  count: number,
  act: (index: number) => Promise<void>,
): Promise<{ readonly done: number; readonly error?: unknown }> {
  let started = 0;
  let done = 0;
  for (let batch = 1; started < count; batch *= 2) {
    const size = Math.min(batch, count - started);
    const first = started;
    const outcomes: Promise<Outcome>[] = [];
    for (let index = 0; index < size; index++) {
      if (index > 0 && index % begunAtOnce === 0) await yieldToEventLoop();
      outcomes.push(act(first + index).then(succeeded, failed));
    }
    const results = await Promise.all(outcomes);
    started += size;
    done += results.filter(({ isDone }) => isDone).length;
    const failure = results.find(({ isDone }) => !isDone);
    if (failure) return { done, error: failure.error };
  }
  return { done };
}

interface Outcome {
  readonly isDone: boolean;
  readonly error?: unknown;
}

const succeeded = (): Outcome => ({ isDone: true });
const failed = (error: unknown): Outcome => ({ isDone: false, error });
