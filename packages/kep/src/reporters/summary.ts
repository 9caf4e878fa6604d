import { counts, type Finding } from '../check/finding.js';

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

/** Counts findings; those that are baselined or waived count only as such. */
export function tally(findings: readonly Finding[]): Tally {
  const open = { error: 0, warn: 0, info: 0 };
  let baselined = 0;
  let waived = 0;
  const keps = new Set<string>();
  for (const finding of findings) {
    if (finding.baselined) baselined++;
    if (finding.waived !== undefined) waived++;
    if (!counts(finding)) continue;
    open[finding.severity]++;
    keps.add(finding.kep);
  }
  return { errors: open.error, warnings: open.warn, infos: open.info, baselined, waived, withFindings: keps.size };
}

/** `2 errors, 1 warning in 1 of 655 KEPs (41 baselined)`. */
export function summaryLine(findings: readonly Finding[], checked: number): string {
  const { errors, warnings, infos, baselined, waived, withFindings } = tally(findings);
  const counted = [plural(errors, 'error'), plural(warnings, 'warning'), ...(infos > 0 ? [plural(infos, 'hint')] : [])];
  const hidden = [...(baselined > 0 ? [`${baselined} baselined`] : []), ...(waived > 0 ? [`${waived} waived`] : [])];
  return `${counted.join(', ')} in ${withFindings} of ${plural(checked, 'KEP')}${hidden.length > 0 ? ` (${hidden.join(', ')})` : ''}`;
}

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
