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
    const results = await Promise.allSettled(Array.from({ length: size }, (_, index) => act(first + index)));
    started += size;
    done += results.filter(({ status }) => status === 'fulfilled').length;
    const failure = results.find((result) => result.status === 'rejected');
    if (failure) return { done, error: failure.reason };
  }
  return { done };
}
