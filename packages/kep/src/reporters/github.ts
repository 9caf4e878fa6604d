import { printable } from '@slipway/safe-yaml/printable';
import { counts, type Finding } from '../check/finding.js';
import type { CheckResult } from './report.js';
import { summaryLine } from './summary.js';

/** The runner shows this many of each level and drops the rest. */
const shown = 10;
const levels = { error: 'error', warn: 'warning', info: 'notice' } as const;

/** Workflow commands, which GitHub shows at the lines of a pull request. */
export function reportGithub({ findings, checked }: CheckResult): string {
  const open = findings.filter(counts);
  const lines = (['error', 'warn', 'info'] as const).flatMap((severity) =>
    open
      .filter((finding) => finding.severity === severity)
      .slice(0, shown)
      .map(annotation),
  );
  return [...lines, summaryLine(findings, checked), ''].join('\n');
}

function annotation({ severity, path, span, rule, message }: Finding): string {
  const properties = { file: path, line: span.start.line, endLine: span.end.line, col: span.start.column, title: rule };
  const list = Object.entries(properties).map(([name, value]) => `${name}=${property(String(value))}`);
  return `::${levels[severity]} ${list.join(',')}::${data(message)}`;
}

function data(text: string): string {
  return printable(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
