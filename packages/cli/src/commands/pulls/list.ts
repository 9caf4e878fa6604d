import { headline, pullRows } from '@slipway/image-pulls/views';
import type { Command } from 'commander';
import { type Format, formatOption, isForPeople, renderList } from '../../output/format.js';
import { type ClusterOptions, withCluster } from '../../runtime/cluster-options.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { CommandError, exit } from '../../runtime/exit.js';
import { askDaemon, type DaemonOptions, whichDaemon } from './daemon-options.js';
import { pullColumns } from './pull-columns.js';

interface Options extends DaemonOptions, ClusterOptions {
  readonly allNodes?: boolean;
  readonly node?: string;
  readonly format: Format;
}

/** `slipway pulls list`. */
export function list(invocation: Invocation): Command {
  const command = newCommand('list', 'List the running and waiting image pulls of this node, or of all nodes', [
    'slipway pulls list',
    'slipway pulls list --listen /run/pulls.sock -o json',
    'slipway pulls list -A -o wide',
    'slipway pulls list -A --node worker-3',
  ]);
  return withCluster(whichDaemon(command))
    .option('-A, --all-nodes', 'pulls of all nodes, as their agents report them to the cluster')
    .option('--node <name>', 'with -A: only pulls of this node')
    .addOption(formatOption('table', 'wide', 'json', 'yaml', 'name'))
    .action(async (options: Options) => {
      if (options.allNodes) return await listCluster(options, invocation);
      if (options.node === undefined) return await listDaemon(options, invocation);
      throw new CommandError(
        exit.usage,
        '--node without -A',
        'list pulls of the cluster: slipway pulls list -A --node NAME',
      );
    });
}

async function listDaemon({ format, ...which }: Options, { terminal }: Invocation): Promise<void> {
  const state = await askDaemon(which, (daemon) => daemon.state());
  const rows = pullRows(state);
  const forPeople = isForPeople(format);
  if (forPeople) terminal.err(`${headline(state)}\n`);
  if (forPeople && rows.length === 0) return;
  terminal.out(renderList(rows, { format, columns: pullColumns, document: state, name: ({ image }) => image }));
}

async function listCluster({ format, node, ...which }: Options, { terminal, signal }: Invocation): Promise<void> {
  const { connect } = await import('../../runtime/connect.js');
  const { clusterHeadline, clusterPullColumns, clusterPulls, readNodeQueues } = await import('./cluster-pulls.js');
  const kube = await connect(which);
  const nowMs = kube.clock.now();
  const queues = await readNodeQueues(kube, node, nowMs, signal);
  const rows = clusterPulls(queues);
  const forPeople = isForPeople(format);
  if (forPeople) terminal.err(clusterHeadline(queues, nowMs));
  if (forPeople && rows.length === 0) return;
  const name = (row: (typeof rows)[number]) => `${row.node}/${row.image}`;
  terminal.out(renderList(rows, { format, columns: clusterPullColumns(nowMs), document: queues, name }));
}
