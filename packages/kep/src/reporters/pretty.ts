import { printableLine } from '@slipway/safe-yaml/printable';
import { counts, type Finding } from '../check/finding.js';
import type { CheckResult } from './check-result.js';
import { summaryLine } from './summary.js';

/** For people: findings file by file, then what they come to. */
export function reportPretty(findings: readonly Finding[], { results, checked, targets }: CheckResult): string {
  let text = '';
  let path = '';
  for (const finding of findings.filter(counts)) {
    if (finding.path !== path) {
      path = finding.path;
      const target = targets.get(finding.kep);
      text += `${text === '' ? '' : '\n'}${printableLine(path)}${target ? `  (${target})` : ''}\n`;
    }
    const { line, column } = finding.span.start;
    text += `  ${`${line}:${column}`.padEnd(8)} ${finding.severity.padEnd(5)}  ${finding.rule.padEnd(7)} ${printableLine(finding.message)}\n`;
  }
  return `${text}${text === '' ? '' : '\n'}${summaryLine(results, checked)}\n`;
}
