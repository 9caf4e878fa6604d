/** What a process says of itself, but for who it is. Many processes say the same; they share one of these. */
export interface Statement {
  readonly binaryVersion: string;
  readonly emulationVersion?: string | undefined;
  /** Name of its FeatureVector, which has its values. */
  readonly vector: string;
  /** Bitmap of the gates that its code asked for. */
  readonly queried?: string | undefined;
  /** Whether it reports itself, so that it may take published values; another program reads what the others show. */
  readonly reportsItself: boolean;
}

/** What one process last reported, and what this server witnessed of it. */
export interface ProcessReport {
  /** Name of the FeatureUse. */
  readonly name: string;
  readonly component: string;
  readonly instance: string;
  readonly node?: string | undefined;
  readonly says: Statement;
  readonly epoch: number;
  /** When this server first heard of it, on the server's monotonic clock. */
  readonly firstSeenMs: number;
  /** When a renewal was last witnessed, on the same clock; undefined if none was, which says nothing about its age. */
  readonly renewedMs?: number | undefined;
  /** For how long a renewal holds. */
  readonly leaseMs: number;
}

/** From when on a report says something about the value a process runs now. */
export interface Round {
  readonly epoch: number;
  /** When this server learned of the round, on its monotonic clock. */
  readonly openedMs: number;
  readonly settleMs: number;
}

/**
 * Whether it was renewed within its own lease duration. What was only just
 * discovered gets that long to show it: the moment of its last renewal is not known here.
 */
export function isCurrent({ firstSeenMs, renewedMs, leaseMs }: ProcessReport, nowMs: number): boolean {
  return nowMs - (renewedMs ?? firstSeenMs) < leaseMs;
}

/**
 * Whether a report was made in a round: it names the round, or a newer one, or it
 * was seen to be renewed so long after the round was opened that it cannot be older.
 */
export function isConfirmed({ epoch, renewedMs }: ProcessReport, round: Round): boolean {
  return epoch >= round.epoch || (renewedMs !== undefined && renewedMs > round.openedMs + round.settleMs);
}
