import { headline, pullRows } from '@slipway/image-pulls/views';
import type { Command } from 'commander';
import { type Format, formatOption, renderList } from '../../output/format.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { askDaemon, type DaemonOptions, whichDaemon } from './daemon-options.js';
import { pullColumns } from './pull-columns.js';

/** `slipway pulls list`. */
export function list({ terminal }: Invocation): Command {
  return whichDaemon(
    newCommand('list', 'List the running and waiting image pulls of this node', [
      'slipway pulls list',
      'slipway pulls list --listen /run/pulls.sock -o json',
    ]),
  )
    .addOption(formatOption('table', 'wide', 'json', 'yaml', 'name'))
    .action(async ({ format, ...which }: DaemonOptions & { readonly format: Format }) => {
      const state = await askDaemon(which, (daemon) => daemon.state());
      const rows = pullRows(state);
      const forPeople = format === 'table' || format === 'wide';
      if (forPeople) terminal.err(`${headline(state)}\n`);
      if (forPeople && rows.length === 0) return;
      terminal.out(renderList(rows, { format, columns: pullColumns, document: state, name: ({ image }) => image }));
    });
}
