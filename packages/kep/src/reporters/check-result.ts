import type { Finding } from '../check/finding.js';

/** Everything that a report can tell. */
export interface CheckResult {
  readonly findings: readonly Finding[];
  /** Number of proposals looked at. */
  readonly checked: number;
  readonly template: string;
  /** How far each proposal is meant to be, for its heading: `target beta, v1.37`. */
  readonly targets: ReadonlyMap<string, string>;
}
