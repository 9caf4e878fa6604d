import { type ApprovalPreview, approveTransition, previewApproval } from '@slipway/features';
import type { Command } from 'commander';
import type { Format } from '../../output/format.js';
import { outcomeOption, renderOutcome } from '../../output/outcome.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { type ClusterOptions, connect, withCluster } from '../../runtime/connect.js';
import { explainRefusal, requireAgreement, totalOf } from './agree.js';
import { requireFeature } from './find-feature.js';
import { renderTasks } from './views/render-plan.js';

interface Options extends ClusterOptions {
  readonly namespace?: string;
  readonly yes?: boolean;
  readonly format: Format;
}

/** `slipway feature approve GATE`. */
export function approve(invocation: Invocation): Command {
  return withCluster(
    newCommand('approve', 'Print the transition that waits for consent, and approve it', [
      'slipway feature approve MaxUnavailableStatefulSet',
      'slipway feature approve MaxUnavailableStatefulSet --yes',
    ]),
  )
    .argument('<gate>', 'name of the gate, in any case')
    .option('-n, --namespace <name>', 'namespace of the feature')
    .option('--yes', 'approve exactly the printed tasks and objects')
    .addOption(outcomeOption())
    .action((gate: string, options: Options) => run(gate, options, invocation));
}

async function run(gate: string, options: Options, { terminal, signal }: Invocation): Promise<void> {
  const { namespace, yes, format, ...cluster } = options;
  const kube = await connect(cluster);
  const feature = await requireFeature(kube, gate, namespace, { terminal, signal });
  const look = `slipway feature get ${feature.spec.gate} -n ${feature.metadata.namespace}`;
  const shown = await previewApproval(kube, feature, signal).catch(explainRefusal(look));
  terminal.err(renderApproval(shown));
  if (!yes) await requireAgreement({ count: totalOf(shown.objects), tasks: shown.work.tasks }, look, terminal);
  const approved = await approveTransition(kube, shown, { signal }).catch(explainRefusal(look));
  const text = `Agreed to ${shown.work.id} of ${feature.spec.gate}, until ${approved.spec.consent?.expires}.\n`;
  terminal.out(renderOutcome(format, text, approved));
}

function renderApproval({ feature, work, objects }: ApprovalPreview): string {
  return `What is left of ${feature.spec.gate} (${work.cause}):\n${renderTasks(work.tasks, objects)}`;
}
