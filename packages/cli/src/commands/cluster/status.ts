import type { LockHolder } from '@slipway/devcluster';
import type { Command } from 'commander';
import { whichCluster } from '../../local-cluster/cluster-flags.js';
import { ask, runningCluster, type WhichCluster } from '../../local-cluster/find-cluster.js';
import { runningClusters } from '../../local-cluster/running-clusters.js';
import { renderAge } from '../../output/duration.js';
import { type Format, formatOption, renderList } from '../../output/format.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { exit } from '../../runtime/exit.js';
import { explain } from '../../runtime/explain.js';

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
    newCommand('status', 'List the running local clusters', [
      'slipway status',
      'slipway status --data-dir ./data -o json',
    ]),
  )
    .addOption(formatOption('table', 'wide', 'json', 'yaml', 'name'))
    .action(async ({ format, ...which }: WhichCluster & { format: Format }) => {
      const named = which.name !== undefined || which.dataDir !== undefined;
      const holders = named ? [await runningCluster(which)] : await runningClusters();
      const rows: Row[] = [];
      for (const described of await Promise.allSettled(holders.map(describe))) {
        if (described.status === 'fulfilled') rows.push(described.value);
        else if (named) throw described.reason;
        else terminal.err(oneLine(described.reason));
      }
      if (rows.length < holders.length) answer(exit.unknown);
      if (holders.length === 0) {
        answer(exit.no);
        terminal.err('No cluster is running.\nTo fix: slipway up\n');
      }
      if (rows.length === 0 && (format === 'table' || format === 'wide')) return;
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

/** A cluster that is only asked how it is answers at once, or is stuck. */
const answersWithinMs = 10_000;

async function describe(holder: LockHolder): Promise<Row> {
  const seen = (await ask(holder, 'status', {}, answersWithinMs)) as Omit<Row, 'name' | 'pid' | 'since'>;
  const { name, pid, since } = holder;
  return { ...seen, name, pid, since };
}

function oneLine(reason: unknown): string {
  const { message, hint } = explain(reason);
  return `slipway: ${message}${hint ? `; to fix: ${hint}` : ''}\n`;
}
