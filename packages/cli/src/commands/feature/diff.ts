import { findDifferences, kubernetesNamespace, listProcesses } from '@slipway/features';
import type { Command } from 'commander';
import { type Format, formatOption, isForPeople, renderList } from '../../output/format.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { connect } from '../../runtime/connect.js';
import { CommandError, exit } from '../../runtime/exit.js';
import { served } from './find-feature.js';
import { reportLiveness } from './report-liveness.js';

interface Options {
  readonly kubeconfig?: string;
  readonly context: readonly string[];
  readonly namespace: string;
  readonly format: Format;
}

/** `slipway feature diff --context A --context B`. */
export function diff({ terminal, signal, answer }: Invocation): Command {
  return newCommand('diff', 'Show gates that two clusters run differently', [
    'slipway feature diff --context staging --context production',
    'slipway feature diff --context staging --context production -o json',
  ])
    .option('--kubeconfig <path>', 'kubeconfig to use instead of $KUBECONFIG or ~/.kube/config')
    .option(
      '--context <name>',
      'context of a cluster; given twice',
      (name: string, names: string[]) => [...names, name],
      [],
    )
    .option('-n, --namespace <name>', 'namespace that the processes report in', kubernetesNamespace)
    .addOption(formatOption('table', 'wide', 'json', 'yaml'))
    .action(async ({ kubeconfig, context, namespace, format }: Options) => {
      const [one, other] = context;
      if (one === undefined || other === undefined || context.length > 2) {
        throw new CommandError(exit.usage, 'exactly two clusters are required', 'name both: --context A --context B');
      }
      const read = async (name: string) => {
        const kube = await connect({ context: name, ...(kubeconfig !== undefined && { kubeconfig }) });
        const processes = await served(() => listProcesses(kube, namespace, signal));
        await reportLiveness(kube, [], { terminal, signal });
        return processes;
      };
      const [left, right] = await Promise.all([read(one), read(other)]);
      const found = findDifferences(left, right);
      if (found.length > 0 || !isForPeople(format)) {
        terminal.out(
          renderList(found, {
            format,
            document: { clusters: [one, other], differences: found },
            columns: [
              { heading: 'COMPONENT', cell: ({ component }) => component },
              { heading: 'GATE', weight: 9, cell: ({ gate }) => gate },
              { heading: one.toUpperCase(), cell: (each) => each.one },
              { heading: other.toUpperCase(), cell: (each) => each.other },
            ],
          }),
        );
      }
      terminal.err(`Compared ${left.length} processes of ${one} with ${right.length} of ${other}.\n`);
      const silent = [left.length === 0 ? one : '', right.length === 0 ? other : ''].filter(Boolean);
      if (silent.length > 0) {
        terminal.err(`Nothing is known of ${silent.join(' and ')}: no process reports in namespace ${namespace}.\n`);
        answer(exit.unknown);
      } else if (found[0]) {
        answer(exit.no);
        terminal.err(`To fix: slipway feature uses ${found[0].gate} --context ${other}, then align what differs\n`);
      }
    });
}
