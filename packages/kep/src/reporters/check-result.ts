import type { Finding } from '../check/finding.js';
import type { ProposalFindings } from '../check/kept-findings.js';

/** Everything that a report can tell. */
export interface CheckResult {
  /** In the order of the report. */
  readonly results: readonly ProposalFindings[];
  /** Number of proposals looked at. */
  readonly checked: number;
  readonly template: string;
  /** How far each proposal is meant to be, for its heading: `target beta, v1.37`. */
  readonly targets: ReadonlyMap<string, string>;
}

/** All findings of a run. */
export function findingsOf(results: readonly ProposalFindings[]): readonly Finding[] {
  return results.flatMap(({ findings }) => findings);
}
