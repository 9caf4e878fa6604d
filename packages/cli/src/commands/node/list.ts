import type { ObservedNode } from '@slipway/balloons';
import { byFree, rowOf, totalOf } from '@slipway/balloons/views';
import { type Command, Option } from 'commander';
import type { Content } from '../../output/content.js';
import { type Format, formatOption, renderList } from '../../output/format.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { type ClusterOptions, connect, withCluster } from '../../runtime/connect.js';
import { CommandError, exit } from '../../runtime/exit.js';
import { nodeColumns, nodeDocument } from './node-rows.js';
import { observeNodes } from './observe-nodes.js';
import { RowChanges, type WatchFormat } from './row-changes.js';
import { watchNodes } from './watch-nodes.js';

interface Options extends ClusterOptions {
  readonly selector?: string;
  readonly sortBy: 'name' | 'free';
  readonly watch?: boolean;
  readonly format: Format;
}

/** `slipway node list`. */
export function list({ terminal, signal }: Invocation): Command {
  return withCluster(
    newCommand('list', 'List nodes: their size, what is hidden, what is in use', [
      'slipway node list',
      'slipway node list -l pool=a --sort-by free',
      'slipway node list -w',
      'slipway node list -o json',
    ]),
  )
    .option('-l, --selector <labels>', 'only nodes with these labels')
    .addOption(
      new Option('--sort-by <column>', 'nodes with the least free cpu first, or by name')
        .choices(['name', 'free'])
        .default('name'),
    )
    .option('-w, --watch', 'print each node again when it changes, until Ctrl-C')
    .addOption(formatOption('table', 'wide', 'json', 'yaml', 'name'))
    .action(async ({ selector, sortBy, watch, format, ...cluster }: Options) => {
      const kube = await connect(cluster);
      if (!watch) {
        terminal.out(rendered(await observeNodes(kube, { selector }, signal), { sortBy, format }));
        return;
      }
      const changes = new RowChanges(watchable(format));
      await watchNodes(kube, { selector }, (nodes) => terminal.out(changes.since(nodes)), signal);
    });
}

function rendered(
  nodes: readonly ObservedNode[],
  { sortBy, format }: Pick<Options, 'sortBy' | 'format'>,
): string | Content {
  const seen = nodes.map((node) => ({ node, row: rowOf(node) }));
  if (sortBy === 'free') seen.sort((a, b) => byFree(a.row, b.row));
  const rows = seen.map(({ row }) => row);
  const isTable = format === 'table' || format === 'wide';
  return renderList(isTable && rows.length > 1 ? [...rows, totalOf(rows)] : rows, {
    format,
    columns: nodeColumns(format === 'wide'),
    document: { apiVersion: 'v1', kind: 'List', items: seen.map(({ node }) => nodeDocument(node)) },
    name: ({ name }) => `nodesize/${name}`,
  });
}

/** @throws CommandError (usage) for a format in which one change cannot be told from the next. */
function watchable(format: Format): WatchFormat {
  if (format === 'table' || format === 'wide' || format === 'json') return format;
  throw new CommandError(exit.usage, `-w prints no ${format}`, 'leave out -o, or give -o wide or -o json');
}
