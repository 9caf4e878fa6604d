import type { GateValue } from '../api/feature-vector.js';

/** A FeatureUse together with its vector, and what this server witnessed of it. */
export interface ProcessReport {
  /** Name of the FeatureUse. */
  readonly name: string;
  readonly component: string;
  readonly instance: string;
  readonly node?: string | undefined;
  readonly binaryVersion: string;
  readonly emulationVersion?: string | undefined;
  /** Undefined while the vector is missing or is not what its name says. */
  readonly gates?: ReadonlyMap<string, GateValue> | undefined;
  /** Whether the code of the process asked for the gate. */
  readonly hasRead: (gate: string) => boolean;
  readonly epoch: number;
  /** When a renewal was last witnessed, on the server's monotonic clock. */
  readonly renewedMs?: number | undefined;
  /** Whether it was renewed within its own lease duration. */
  readonly current: boolean;
}

/** From when on a report says something about the value a process runs now. */
export interface Round {
  readonly epoch: number;
  /** When this server learned of the round, on its monotonic clock. */
  readonly openedMs: number;
  readonly settleMs: number;
}

/**
 * Whether a report was made in a round: it names the round, or a newer one, or it
 * was seen to be renewed so long after the round was opened that it cannot be older.
 */
export function isEvidence({ current, epoch, renewedMs }: ProcessReport, round: Round): boolean {
  if (!current) return false;
  return epoch >= round.epoch || (renewedMs !== undefined && renewedMs > round.openedMs + round.settleMs);
}
