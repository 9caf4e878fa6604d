import { printableLine } from '@slipway/safe-yaml/printable';
import type { Command } from 'commander';
import { type Format, formatOption, renderList } from '../../output/format.js';
import { renderTable } from '../../output/table.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { answeredOf, rowOf } from './kep-rows.js';
import { oneTarget, openRepository, type RepositoryOptions, stageOf, withRepository } from './open-repository.js';

interface Options extends RepositoryOptions {
  readonly stage?: string;
  readonly format: Format;
}

/** `slipway kep show KEP`. */
export function show({ terminal }: Invocation): Command {
  return withRepository(
    newCommand('show', 'Show one proposal: its metadata and the filled sections of its stage', [
      'slipway kep show 5620',
      'slipway kep show 5620 --stage beta -o json',
    ]),
  )
    .argument('<kep>', 'folder, file or number')
    .option('--stage <stage>', 'show the requirements of this stage')
    .addOption(formatOption('table', 'json', 'yaml'))
    .action((name: string, options: Options) => {
      const repository = openRepository(options, name.includes('/') ? name : '.');
      const found = oneTarget(repository, name);
      const facts = repository.facts(repository.load(found), stageOf(options.stage, repository));
      const row = rowOf(repository, found);
      const sections = facts.assessed.map(({ wanted, match, demanded, answer }) => ({
        title: wanted.title,
        stage: wanted.required ? wanted.stage : 'optional',
        demanded,
        answer: answer ?? 'missing',
        line: match ? (facts.document?.lines.place(match.section.span.start).line ?? null) : null,
      }));
      const document = { version: 1, ...row, target: facts.stage, answered: answeredOf(facts), sections };
      if (options.format !== 'table') {
        terminal.out(renderList([], { format: options.format, columns: [], document }));
        return;
      }
      const heads = [
        `${(found.kind ?? 'kep').toUpperCase()}-${row.number}: ${row.title}`,
        [row.sig, row.status, `${row.stage} ${row.milestone}`.trim()].filter((each) => each !== '').join(', '),
        row.directory,
      ];
      const table = renderTable(
        sections.filter((each) => each.demanded),
        [
          { heading: 'LINE', cell: ({ line }) => (line === null ? '-' : String(line)) },
          { heading: 'ANSWER', cell: ({ answer }) => answer },
          { heading: 'FROM', cell: ({ stage }) => stage },
          { heading: 'SECTION', weight: 9, cell: ({ title }) => title },
        ],
      );
      terminal.out(
        `${heads.map((line) => printableLine(line)).join('\n')}\n${answeredOf(facts)} answered${facts.stage === '' ? '' : ` for ${facts.stage}`}\n\n${table}`,
      );
    });
}
