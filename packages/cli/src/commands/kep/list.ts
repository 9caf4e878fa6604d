import type { Command } from 'commander';
import { type Format, formatOption, renderList } from '../../output/format.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { type KepRow, kepColumns, rowOf } from './kep-rows.js';
import { openRepository, type RepositoryOptions, someKeps, withRepository } from './open-repository.js';

interface Options extends RepositoryOptions {
  readonly sig?: string;
  readonly status?: string;
  readonly stage?: string;
  readonly milestone?: string;
  readonly author?: string;
  readonly approver?: string;
  readonly gate?: string;
  readonly format: Format;
}

/** `slipway kep list`. */
export function list({ terminal, signal }: Invocation): Command {
  return withRepository(
    newCommand('list', 'List proposals', ['slipway kep list --stage beta', 'slipway kep list --sig sig-node -o json']),
  )
    .option('--sig <group>', 'only those of this group')
    .option('--status <status>', 'only those with this status')
    .option('--stage <stage>', 'only those at this stage')
    .option('--milestone <release>', 'only those meant for this release')
    .option('--author <handle>', 'only those by this person')
    .option('--approver <handle>', 'only those that this person approves')
    .option('--gate <name>', 'only the one with this feature gate')
    .addOption(formatOption('table', 'wide', 'json', 'yaml', 'name'))
    .action((options: Options) => {
      const repository = openRepository(options);
      const rows = someKeps(repository).map((found) => {
        signal.throwIfAborted();
        return rowOf(repository, found);
      });
      const shown = rows.filter((row) => matches(row, options));
      if (shown.length === 0 && options.format === 'table') {
        terminal.err('No proposal is like that.\n');
        return;
      }
      const document = { version: 1, items: shown };
      terminal.out(
        renderList(shown, {
          format: options.format,
          columns: kepColumns,
          document,
          name: ({ directory }) => directory,
        }),
      );
    });
}

function matches(row: KepRow, options: Options): boolean {
  const same = (wanted: string | undefined, value: string) => wanted === undefined || wanted === value;
  const person = (wanted: string | undefined, people: readonly string[]) =>
    wanted === undefined || people.some((each) => bare(each) === bare(wanted));
  return (
    same(options.sig, row.sig) &&
    same(options.status, row.status) &&
    same(options.stage, row.stage) &&
    (options.milestone === undefined || bareVersion(row.milestone) === bareVersion(options.milestone)) &&
    person(options.author, row.authors) &&
    person(options.approver, row.approvers) &&
    (options.gate === undefined || row.gates.includes(options.gate))
  );
}

function bare(handle: string): string {
  return handle.replace(/^@/, '').toLowerCase();
}

function bareVersion(version: string): string {
  return version.replace(/^v/, '');
}
