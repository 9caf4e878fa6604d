import { ChangeRefusedError, previewClean, requestClean } from '@slipway/features';
import type { Command } from 'commander';
import { parseDuration } from '../../output/duration.js';
import type { Format } from '../../output/format.js';
import { outcomeOption, renderOutcome } from '../../output/outcome.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { type ClusterOptions, connect, withCluster } from '../../runtime/connect.js';
import { CommandError, exit } from '../../runtime/exit.js';
import { demandFeature } from './find-feature.js';
import { renderPlan } from './render-plan.js';
import { waitForState } from './wait-for-state.js';

interface Options extends ClusterOptions {
  readonly namespace?: string;
  readonly yes?: boolean;
  readonly wait?: true | number;
  readonly format: Format;
}

const defaultWaitMs = 60_000;

/** `slipway feature clean GATE`. */
export function clean(invocation: Invocation): Command {
  return withCluster(
    newCommand('clean', 'Clear what still uses a feature that is off, as a plan that is printed first', [
      'slipway feature clean MaxUnavailableStatefulSet',
      'slipway feature clean MaxUnavailableStatefulSet --yes --wait',
    ]),
  )
    .argument('<gate>', 'name of the gate, in any case')
    .option('-n, --namespace <name>', 'namespace of the feature')
    .option('--yes', 'agree to exactly the plan that is printed; without it nothing is done')
    .option('--wait [duration]', 'wait until it is done; 60s unless said otherwise', parseDuration)
    .addOption(outcomeOption())
    .action((gate: string, options: Options) => run(gate, options, invocation));
}

async function run(gate: string, options: Options, { terminal, signal, answer }: Invocation): Promise<void> {
  const { namespace, yes, wait, format } = options;
  const kube = await connect(options);
  const feature = await demandFeature(kube, gate, namespace, signal);
  const preview = await previewClean(kube, feature, signal);
  if (!yes) {
    const { feature: _feature, definition: _definition, ...plan } = preview;
    terminal.out(renderOutcome(format, renderPlan(preview), { gate: feature.spec.gate, ...plan }));
    return;
  }
  terminal.err(renderPlan(preview));
  const requested = await requestClean(kube, preview, signal).catch((error: unknown) => {
    if (!(error instanceof ChangeRefusedError)) throw error;
    throw new CommandError(exit.no, error.message, `slipway feature get ${feature.spec.gate}`, { cause: error });
  });
  if (wait === undefined) {
    const follow = `slipway feature watch ${feature.spec.gate}`;
    terminal.out(
      renderOutcome(format, `${feature.spec.gate} is to be cleaned. Follow it with: ${follow}\n`, requested),
    );
    return;
  }
  const withinMs = wait === true ? defaultWaitMs : wait;
  const { reached, last } = await waitForState(kube, requested, 'Off', { withinMs, signal, terminal });
  if (!reached) answer(exit.unknown);
  terminal.out(renderOutcome(format, reached ? `${feature.spec.gate} is clean.\n` : '', last));
  if (!reached) terminal.err(`slipway: not clean after ${withinMs / 1_000} s\nTo fix: slipway feature get ${gate}\n`);
}
