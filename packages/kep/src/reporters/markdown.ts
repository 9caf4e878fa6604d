import { printableLine } from '@slipway/safe-yaml/printable';
import { counts, type Finding } from '../check/finding.js';
import type { CheckResult } from './check-result.js';
import { summaryLine } from './summary.js';

/** A comment holds 65,536 characters, a step summary 1 MiB. */
const maxRows = 200;

/** A comment for a pull request; the hidden mark lets a bot find it again and replace it. */
export function reportMarkdown(findings: readonly Finding[], { results, checked }: CheckResult): string {
  const open = findings.filter(counts);
  const rows = open.slice(0, maxRows).map(({ severity, rule, path, span, message }) => {
    const cells = [severity, rule, `${path}:${span.start.line}`, message];
    return `| ${cells.map(cell).join(' | ')} |`;
  });
  const table = rows.length > 0 ? ['| | rule | where | what |', '|---|---|---|---|', ...rows, ''] : [];
  const more = open.length > rows.length ? [`${open.length - rows.length} more are left out.`, ''] : [];
  return ['<!-- slipway-kep-check -->', `**${summaryLine(results, checked)}**`, '', ...table, ...more].join('\n');
}

/** Text in Markdown: nothing in it is a mark, and it stays on its line. */
export function cell(text: string): string {
  return printableLine(text).replace(/[|<>\\`*_[\]]/g, '\\$&');
}
