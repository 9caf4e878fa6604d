import { type Format, renderList } from '../output/format.js';
import type { TableColumn } from '../output/table.js';
import type { Invocation } from './command.js';
import { exit } from './exit.js';

/** What was found about one thing. `unknown` is that it could not be looked at, `note` that it may be meant. */
export interface Finding {
  readonly check: string;
  readonly result: 'ok' | 'note' | 'problem' | 'unknown';
  readonly message: string;
  /** What a person does about it, mostly a command to copy. */
  readonly fix?: string | undefined;
}

const columns: readonly TableColumn<Finding>[] = [
  { heading: 'CHECK', cell: ({ check }) => check },
  { heading: 'RESULT', weight: 8, state: true, cell: ({ result }) => result },
  { heading: 'WHAT', weight: 9, cell: ({ message }) => message },
  { heading: 'FIX', weight: 9, cell: ({ fix = '-' }) => fix },
];

/** Prints findings, and says on stderr how problems are fixed; with one, the command answers no. */
export function reportFindings(
  findings: readonly Finding[],
  format: Format,
  { terminal, answer }: Pick<Invocation, 'terminal' | 'answer'>,
): void {
  terminal.out(renderList(findings, { format, columns, document: findings }));
  const problems = findings.filter(({ result }) => result === 'problem');
  if (problems.length === 0) return;
  for (const { fix } of problems) if (fix !== undefined) terminal.err(`To fix: ${fix}\n`);
  answer(exit.no);
}
