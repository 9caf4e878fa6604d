import { printable, printableLine } from '@slipway/safe-yaml/printable';
import { counts, type Finding } from '../check/finding.js';
import type { CheckResult } from './check-result.js';
import { summaryLine } from './summary.js';

/** The runner shows this many of each level and drops the rest. */
const shown = 10;
const levels = { error: 'error', warn: 'warning', info: 'notice' } as const;

/**
 * Workflow commands, which GitHub shows at the lines of a pull request: ten of each level, for it drops the rest. All others are lines of the
 * log, and stand in the Markdown report, which belongs into the file that `GITHUB_STEP_SUMMARY` names.
 */
export function reportGithub(findings: readonly Finding[], { results, checked }: CheckResult): string {
  const open = (['error', 'warn', 'info'] as const).map((level) =>
    findings.filter((finding) => counts(finding) && finding.severity === level),
  );
  const annotations = open.flatMap((each) => each.slice(0, shown).map(annotation));
  const others = open.flatMap((each) => each.slice(shown).map(logLine));
  return [...annotations, ...others, summaryLine(results, checked), ''].join('\n');
}

/** Begins with the severity, so that no path or message of a stranger can be a command. */
function logLine({ severity, rule, path, span, message }: Finding): string {
  return `${severity} ${rule} ${printableLine(path)}:${span.start.line}:${span.start.column} ${printableLine(message)}`;
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
