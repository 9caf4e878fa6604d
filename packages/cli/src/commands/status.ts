import type { LockHolder } from '@slipway/devcluster';
import type { Command } from 'commander';
import { renderAge } from '../output/duration.js';
import { type Format, formatOption, renderList } from '../output/format.js';
import { type Invocation, newCommand } from '../runtime/command.js';
import { exit } from '../runtime/exit.js';
import { whichCluster } from './local/cluster-flags.js';
import { ask, runningCluster, type WhichCluster } from './local/find-cluster.js';
import { runningClusters } from './local/running-clusters.js';

interface Row {
  readonly name: string;
  readonly pid: number;
  readonly since: string;
  readonly url: string;
  readonly nodes: number;
  readonly dataDir: string;
  readonly kubeconfig: string;
}

/** `slipway status`. */
export function command({ terminal, answer }: Invocation): Command {
  return whichCluster(
    newCommand('status', 'Show the local clusters that run', [
      'slipway status',
      'slipway status --data-dir ./data -o json',
    ]),
  )
    .addOption(formatOption('table', 'wide', 'json', 'yaml', 'name'))
    .action(async ({ format, ...which }: WhichCluster & { format: Format }) => {
      const named = which.name !== undefined || which.dataDir !== undefined;
      const holders = named ? [runningCluster(which)] : runningClusters();
      const rows = await Promise.all(holders.map(describe));
      if (rows.length === 0) {
        answer(exit.no);
        if (format === 'table' || format === 'wide') {
          terminal.err('No cluster is running.\nTo fix: slipway up\n');
          return;
        }
      }
      const nowMs = Date.now();
      terminal.out(
        renderList(rows, {
          format,
          document: rows,
          name: ({ name }) => name,
          columns: [
            { heading: 'NAME', cell: ({ name }) => name },
            { heading: 'SERVER', cell: ({ url }) => url },
            { heading: 'NODES', cell: ({ nodes }) => `${nodes}` },
            { heading: 'PID', cell: ({ pid }) => `${pid}` },
            { heading: 'AGE', cell: ({ since }) => renderAge(since, nowMs) },
            { heading: 'DATA', wide: true, cell: ({ dataDir }) => dataDir },
            { heading: 'KUBECONFIG', wide: true, cell: ({ kubeconfig }) => kubeconfig },
          ],
        }),
      );
    });
}

async function describe({ name, pid, since, ...holder }: LockHolder): Promise<Row> {
  const seen = (await ask({ name, pid, since, ...holder }, 'status')) as Omit<Row, 'name' | 'pid' | 'since'>;
  return { ...seen, name, pid, since };
}
