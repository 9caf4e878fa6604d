import { ChangeRefusedError, requestMode } from '@slipway/features';
import { Argument, type Command } from 'commander';
import type { Format } from '../../output/format.js';
import { outcomeOption, renderOutcome } from '../../output/outcome.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { type ClusterOptions, connect, withCluster } from '../../runtime/connect.js';
import { CommandError, exit } from '../../runtime/exit.js';
import { demandFeature } from './find-feature.js';

interface Options extends ClusterOptions {
  readonly namespace?: string;
  readonly format: Format;
}

const modes = { follow: 'Follow', central: 'Central' } as const;
const meanings = {
  follow: 'is set by the flags of each component',
  central: 'is set by the flag of one component; the others take it when they start',
} as const;

/** `slipway feature mode GATE follow|central`. */
export function mode({ terminal, signal }: Invocation): Command {
  return withCluster(
    newCommand('mode', 'Leave a feature to the flags of each component, or to that of one', [
      'slipway feature mode MaxUnavailableStatefulSet central',
      'slipway feature mode MaxUnavailableStatefulSet follow',
    ]),
  )
    .argument('<gate>', 'name of the gate, in any case')
    .addArgument(new Argument('<mode>', 'whose flags count').choices(Object.keys(modes)))
    .option('-n, --namespace <name>', 'namespace of the feature')
    .addOption(outcomeOption())
    .action(async (gate: string, to: keyof typeof modes, { namespace, format, ...cluster }: Options) => {
      const kube = await connect(cluster);
      const feature = await demandFeature(kube, gate, namespace, { terminal, signal });
      try {
        const written = await requestMode(kube, feature, modes[to], signal);
        terminal.out(renderOutcome(format, `${feature.spec.gate} ${meanings[to]}.\n`, written));
      } catch (error) {
        if (!(error instanceof ChangeRefusedError)) throw error;
        const hint = 'set the flag of each component, or change the FeatureDefinition';
        throw new CommandError(exit.no, error.message, hint, { cause: error });
      }
    });
}
