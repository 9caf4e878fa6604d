import { previewClean, requestClean } from '@slipway/features';
import type { Command } from 'commander';
import type { Format } from '../../output/format.js';
import { outcomeOption, renderOutcome } from '../../output/outcome.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { type ClusterOptions, connect, withCluster } from '../../runtime/connect.js';
import { type WaitOptions, withWait } from '../../runtime/wait.js';
import { consentOptions, explainRefusal } from './agree.js';
import { requireFeature } from './find-feature.js';
import { renderPlan } from './views/render-plan.js';
import { notInTime, waitForState } from './wait-for-state.js';

interface Options extends ClusterOptions, WaitOptions {
  readonly namespace?: string;
  readonly yes?: boolean;
  readonly format: Format;
}

/** `slipway feature clean GATE`. */
export function clean(invocation: Invocation): Command {
  return withWait(
    withCluster(
      newCommand('clean', 'Print a plan to clear the remaining uses of a feature that is off, and run it', [
        'slipway feature clean MaxUnavailableStatefulSet',
        'slipway feature clean MaxUnavailableStatefulSet --yes --wait',
      ]),
    ),
  )
    .argument('<gate>', 'name of the gate, in any case')
    .option('-n, --namespace <name>', 'namespace of the feature')
    .option('--yes', 'approve exactly the printed plan; without it nothing is changed')
    .addOption(outcomeOption())
    .action((gate: string, options: Options) => run(gate, options, invocation));
}

async function run(gate: string, options: Options, { terminal, signal }: Invocation): Promise<void> {
  const { namespace, yes, wait, timeout, format } = options;
  const kube = await connect(options);
  const feature = await requireFeature(kube, gate, namespace, { terminal, signal });
  const explained = explainRefusal(`slipway feature get ${feature.spec.gate} -n ${feature.metadata.namespace}`);
  const preview = await previewClean(kube, feature, signal).catch(explained);
  if (!yes) {
    const { feature: _feature, definition: _definition, ...plan } = preview;
    terminal.out(renderOutcome(format, renderPlan(preview), { gate: feature.spec.gate, ...plan }));
    return;
  }
  terminal.err(renderPlan(preview));
  const requested = await requestClean(kube, preview, consentOptions(options, signal)).catch(explained);
  if (!wait) {
    const follow = `slipway feature watch ${feature.spec.gate}`;
    terminal.out(
      renderOutcome(format, `${feature.spec.gate} is to be cleaned. Follow it with: ${follow}\n`, requested),
    );
    return;
  }
  const { reached, last } = await waitForState(kube, requested, 'Off', { withinMs: timeout, signal, terminal });
  terminal.out(renderOutcome(format, reached ? `${feature.spec.gate} is clean.\n` : '', last));
  if (!reached) throw notInTime(last, `${feature.spec.gate} is not clean`, timeout);
}
