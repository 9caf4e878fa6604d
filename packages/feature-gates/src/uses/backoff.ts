const firstMs = 1_000;
const longestMs = 300_000;

/**
 * Exponential backoff with full jitter: anything up to 1 s after the first failure,
 * up to 5 min after many, so that processes that failed together do not return together.
 * Never less than 50 ms, and never before `atLeastMs`.
 */
export function backoffMs(failures: number, random: () => number, atLeastMs = 0): number {
  const ceiling = Math.min(longestMs, firstMs * 2 ** Math.max(0, failures - 1));
  return Math.max(50, atLeastMs, random() * ceiling);
}
