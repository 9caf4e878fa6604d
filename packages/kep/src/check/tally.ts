import { counts, type Finding } from './finding.js';

/** What a run came to. */
export interface Tally {
  readonly errors: number;
  readonly warnings: number;
  readonly infos: number;
  readonly baselined: number;
  readonly waived: number;
  /** Proposals with at least one finding that counts. */
  readonly withFindings: number;
}

/** Counts the findings of one proposal; those that are baselined or waived count only as such. */
export function tally(findings: readonly Finding[]): Tally {
  const open = { error: 0, warn: 0, info: 0 };
  let baselined = 0;
  let waived = 0;
  for (const finding of findings) {
    if (finding.baselined) baselined++;
    if (finding.waived !== undefined) waived++;
    if (counts(finding)) open[finding.severity]++;
  }
  const { error: errors, warn: warnings, info: infos } = open;
  return { errors, warnings, infos, baselined, waived, withFindings: errors + warnings + infos > 0 ? 1 : 0 };
}
