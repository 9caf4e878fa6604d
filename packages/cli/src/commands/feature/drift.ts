import { findDrift, kubernetesNamespace, listProcesses } from '@slipway/features';
import type { Command } from 'commander';
import { type Format, formatOption, renderList } from '../../output/format.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { type ClusterOptions, connect, withCluster } from '../../runtime/connect.js';
import { exit } from '../../runtime/exit.js';
import { served } from './find-feature.js';
import { reportLiveness } from './report-liveness.js';

interface Options extends ClusterOptions {
  readonly namespace: string;
  readonly format: Format;
}

const maxNamed = 3;

/** `slipway feature drift`. */
export function drift({ terminal, signal, answer }: Invocation): Command {
  return withCluster(
    newCommand('drift', 'Show gates that processes of one component run with different values', [
      'slipway feature drift',
      'slipway feature drift -o json',
    ]),
  )
    .option('-n, --namespace <name>', 'namespace that the processes report in', kubernetesNamespace)
    .addOption(formatOption('table', 'wide', 'json', 'yaml'))
    .action(async ({ namespace, format, ...cluster }: Options) => {
      const kube = await connect(cluster);
      const processes = await served(() => listProcesses(kube, namespace, signal));
      await reportLiveness(kube, [], { terminal, signal });
      const found = findDrift(processes);
      const isTable = format === 'table' || format === 'wide';
      if (found.length > 0 || !isTable) {
        terminal.out(
          renderList(found, {
            format,
            document: found,
            columns: [
              { heading: 'COMPONENT', cell: ({ component }) => component },
              { heading: 'GATE', weight: 9, cell: ({ gate }) => gate },
              { heading: 'ON', cell: ({ on }) => countOf(on, format) },
              { heading: 'OFF', cell: ({ off }) => countOf(off, format) },
              { heading: 'MIXED', cell: ({ mixed }) => countOf(mixed, format) },
            ],
          }),
        );
      }
      if (processes.length === 0) {
        terminal.err(`Nothing is known: no process reports in namespace ${namespace}.\n`);
        answer(exit.unknown);
        return;
      }
      const silent = processes.filter(({ gates }) => !gates).length;
      terminal.err(`Compared what ${processes.length - silent} of ${processes.length} reporting processes run.\n`);
      if (found[0]) {
        answer(exit.no);
        terminal.err(
          `To fix: slipway feature uses ${found[0].gate} --component ${found[0].component}, then align the flags\n`,
        );
      } else if (silent > 0) answer(exit.unknown);
    });
}

/** `2: n1, n2`; with `wide` all of them. */
function countOf(names: readonly string[], format: Format): string {
  if (names.length === 0) return '0';
  const shown = format === 'wide' ? names : names.slice(0, maxNamed);
  return `${names.length}: ${shown.join(', ')}${shown.length < names.length ? ', ...' : ''}`;
}
