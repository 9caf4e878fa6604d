/**
 * After how many failures in a row a task is `Blocked`, so that a person sees to it. It is tried again all the same,
 * later each time.
 */
export const blocksAfter = {
  /** It cannot succeed before a user changes something. */
  certain: 1,
  /** It is unlikely to succeed by itself. */
  likely: 3,
  /** What it needs is away, and may come back. */
  away: 8,
} as const;
