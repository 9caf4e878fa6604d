import { approveTransition, ChangeRefusedError } from '@slipway/features';
import type { Command } from 'commander';
import { type Format, formatOption, renderList } from '../../output/format.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { type ClusterOptions, connect, withCluster } from '../../runtime/connect.js';
import { CommandError, exit } from '../../runtime/exit.js';
import { demandFeature } from './find-feature.js';

interface Options extends ClusterOptions {
  readonly namespace?: string;
  readonly format: Format;
}

/** `slipway feature approve GATE`. */
export function approve({ terminal, signal }: Invocation): Command {
  return withCluster(
    newCommand('approve', 'Agree to the transition that waits for consent', [
      'slipway feature get MaxUnavailableStatefulSet && slipway feature approve MaxUnavailableStatefulSet',
    ]),
  )
    .argument('<gate>', 'name of the gate, in any case')
    .option('-n, --namespace <name>', 'namespace of the feature')
    .addOption(formatOption('table', 'json', 'yaml'))
    .action(async (gate: string, { namespace, format, ...cluster }: Options) => {
      const kube = await connect(cluster);
      const feature = await demandFeature(kube, gate, namespace, { terminal, signal });
      try {
        const approved = await approveTransition(kube, feature, signal);
        const text = `Agreed to transition ${approved.spec.approvedTransition} of ${approved.spec.gate}.\n`;
        terminal.out(format === 'table' ? text : renderList([], { format, columns: [], document: approved }));
      } catch (error) {
        if (!(error instanceof ChangeRefusedError)) throw error;
        throw new CommandError(exit.no, error.message, `slipway feature get ${feature.spec.gate}`, { cause: error });
      }
    });
}
