import type { Command } from 'commander';
import { type Format, formatOption, renderList } from '../../output/format.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { CommandError, exit } from '../../runtime/exit.js';
import { CheckedProgram } from './report-check/checked-program.js';
import { type Finding, reportCases } from './report-check/report-cases.js';

interface Options {
  readonly case?: readonly string[];
  readonly format: Format;
}

interface Row {
  readonly case: string;
  readonly rule: string;
  readonly result: Finding['result'];
  readonly detail?: string;
}

/** `slipway feature report-check PROGRAM [ARG...]`. */
export function reportCheck({ terminal, signal, answer }: Invocation): Command {
  return newCommand('report-check', 'Check that a program reports its gates as the reporting protocol says', [
    'slipway feature report-check -- ./acme-operator --check',
    'slipway feature report-check --case round --case stop -- python3 report.py',
  ])
    .argument('<program...>', 'the program and its arguments, after --')
    .option(
      '--case <name>',
      `play only this case, repeatable: ${reportCases.map(({ name }) => name).join(', ')}`,
      collect,
    )
    .addOption(formatOption('table', 'json', 'yaml'))
    .action(async (command: readonly string[], { case: names, format }: Options) => {
      const unknown = names?.find((name) => !reportCases.some((each) => each.name === name));
      if (unknown !== undefined)
        throw new CommandError(exit.usage, `unknown case "${unknown}"`, 'slipway feature report-check --help');
      await using program = await CheckedProgram.prepare(command, signal);
      const rows: Row[] = [];
      for (const { name, rule, play } of reportCases) {
        if (names && !names.includes(name)) continue;
        signal.throwIfAborted();
        const finding = await play(program);
        rows.push({ case: name, rule, ...finding });
        if (format !== 'table') continue;
        terminal.out(`${finding.result.padEnd(13)} ${name.padEnd(13)} ${rule}\n`);
        if ('detail' in finding) terminal.out(`${' '.repeat(28)}${finding.detail}\n`);
      }
      if (format !== 'table') terminal.out(renderList(rows, { format, columns: [], document: rows }));
      const broken = rows.filter(({ result }) => result === 'Failed');
      if (broken.length === 0) return;
      terminal.err(`slipway: ${broken.length} of ${rows.length} cases failed\n`);
      terminal.err('To fix: docs/reference/reporting-protocol.md states each rule\n');
      answer(exit.no);
    });
}

function collect(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value];
}
