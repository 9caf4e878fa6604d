import { type Command, Option } from 'commander';
import { type Format, formatOption, renderList } from '../../output/format.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { type ClusterOptions, connect, withCluster } from '../../runtime/connect.js';
import { byFree, nodeColumns, nodeDocument, rowOf, totalOf } from './node-rows.js';
import { observeNodes } from './observe-nodes.js';

interface Options extends ClusterOptions {
  readonly selector?: string;
  readonly sortBy: 'name' | 'free';
  readonly format: Format;
}

/** `slipway node list`. */
export function list({ terminal, signal }: Invocation): Command {
  return withCluster(
    newCommand('list', 'List nodes: how large they are for pods, what does not exist, what is in use', [
      'slipway node list',
      'slipway node list -l pool=a --sort-by free',
      'slipway node list -o json',
    ]),
  )
    .option('-l, --selector <labels>', 'only nodes with these labels')
    .addOption(
      new Option('--sort-by <column>', 'nodes with the least free cpu first, or by name')
        .choices(['name', 'free'])
        .default('name'),
    )
    .addOption(formatOption('table', 'wide', 'json', 'yaml', 'name'))
    .action(async ({ selector, sortBy, format, ...cluster }: Options) => {
      const nodes = await observeNodes(await connect(cluster), { selector }, signal);
      const seen = nodes.map((node) => ({ node, row: rowOf(node) }));
      if (sortBy === 'free') seen.sort((a, b) => byFree(a.row, b.row));
      const rows = seen.map(({ row }) => row);
      const isTable = format === 'table' || format === 'wide';
      const document = { apiVersion: 'v1', kind: 'List', items: seen.map(({ node }) => nodeDocument(node)) };
      terminal.out(
        renderList(isTable && rows.length > 1 ? [...rows, totalOf(rows)] : rows, {
          format,
          columns: nodeColumns(format === 'wide'),
          document,
          name: ({ name }) => `nodesize/${name}`,
        }),
      );
    });
}
