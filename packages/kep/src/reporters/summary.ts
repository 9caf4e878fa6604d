import type { ProposalFindings } from '../check/kept-findings.js';
import { type Tally, tally } from '../check/tally.js';

/** Counts the findings of a run. */
export function tallyOf(results: readonly ProposalFindings[]): Tally {
  const sum = { errors: 0, warnings: 0, infos: 0, baselined: 0, waived: 0 };
  const open = new Set<string>();
  for (const result of results) {
    const one = result.kept?.tally ?? tally(result.findings);
    sum.errors += one.errors;
    sum.warnings += one.warnings;
    sum.infos += one.infos;
    sum.baselined += one.baselined;
    sum.waived += one.waived;
    if (one.withFindings > 0) open.add(result.directory);
  }
  return { ...sum, withFindings: open.size };
}

/** `2 errors, 1 warning in 1 of 655 KEPs (41 baselined)`. */
export function summaryLine(results: readonly ProposalFindings[], checked: number): string {
  const { errors, warnings, infos, baselined, waived, withFindings } = tallyOf(results);
  const counted = [plural(errors, 'error'), plural(warnings, 'warning'), ...(infos > 0 ? [plural(infos, 'hint')] : [])];
  const hidden = [...(baselined > 0 ? [`${baselined} baselined`] : []), ...(waived > 0 ? [`${waived} waived`] : [])];
  return `${counted.join(', ')} in ${withFindings} of ${plural(checked, 'KEP')}${hidden.length > 0 ? ` (${hidden.join(', ')})` : ''}`;
}

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
