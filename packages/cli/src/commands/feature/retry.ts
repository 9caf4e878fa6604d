import { ChangeRefusedError, requestRetry } from '@slipway/features';
import type { Command } from 'commander';
import type { Format } from '../../output/format.js';
import { outcomeOption, renderOutcome } from '../../output/outcome.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { type ClusterOptions, connect, withCluster } from '../../runtime/connect.js';
import { CommandError, exit } from '../../runtime/exit.js';
import { requireFeature } from './find-feature.js';

interface Options extends ClusterOptions {
  readonly namespace?: string;
  readonly format: Format;
}

/** `slipway feature retry GATE`. */
export function retry({ terminal, signal }: Invocation): Command {
  return withCluster(
    newCommand('retry', 'Retry a waiting or blocked task now', ['slipway feature retry MaxUnavailableStatefulSet']),
  )
    .argument('<gate>', 'name of the gate, in any case')
    .option('-n, --namespace <name>', 'namespace of the feature')
    .addOption(outcomeOption())
    .action(async (gate: string, { namespace, format, ...cluster }: Options) => {
      const kube = await connect(cluster);
      const feature = await requireFeature(kube, gate, namespace, { terminal, signal });
      const where = feature.metadata.namespace;
      try {
        const written = await requestRetry(kube, feature, signal);
        const task = (feature.status?.transition ?? feature.status?.maintenance)?.tasks[0]?.name;
        const follow = `slipway feature watch ${feature.spec.gate} -n ${where}`;
        terminal.out(
          renderOutcome(format, `${task} of ${feature.spec.gate} is tried again. Follow it with: ${follow}\n`, written),
        );
      } catch (error) {
        if (!(error instanceof ChangeRefusedError)) throw error;
        const hint = `slipway feature get ${feature.spec.gate} -n ${where}`;
        throw new CommandError(exit.no, error.message, hint, { cause: error });
      }
    });
}
