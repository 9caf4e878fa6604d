import { ChangeRefusedError, type ModePreview, previewMode, requestMode } from '@slipway/features';
import { Argument, type Command } from 'commander';
import type { Format } from '../../output/format.js';
import { outcomeOption, renderOutcome } from '../../output/outcome.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { type ClusterOptions, connect, withCluster } from '../../runtime/connect.js';
import { CommandError, exit } from '../../runtime/exit.js';
import { requireFeature } from './find-feature.js';

interface Options extends ClusterOptions {
  readonly namespace?: string;
  readonly yes?: boolean;
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
    newCommand('mode', 'Let the flags of each component set a feature, or the flag of one component', [
      'slipway feature mode MaxUnavailableStatefulSet central',
      'slipway feature mode MaxUnavailableStatefulSet follow',
      'slipway feature mode OpenAPIV3 follow --yes',
    ]),
  )
    .argument('<gate>', 'name of the gate, in any case')
    .addArgument(new Argument('<mode>', 'follow: each component, central: one component').choices(Object.keys(modes)))
    .option('-n, --namespace <name>', 'namespace of the feature')
    .option('--yes', 'even if processes lose the value that is published to them now')
    .addOption(outcomeOption())
    .action(async (gate: string, to: keyof typeof modes, { namespace, yes, format, ...cluster }: Options) => {
      const kube = await connect(cluster);
      const feature = await requireFeature(kube, gate, namespace, { terminal, signal });
      const preview = await previewMode(kube, feature, modes[to], signal).catch((error: unknown) => {
        if (!(error instanceof ChangeRefusedError)) throw error;
        const hint = 'set the flag of each component, or change the FeatureDefinition';
        throw new CommandError(exit.no, error.message, hint, { cause: error });
      });
      if (preview.leaving.length > 0 && !yes) throw wouldLeave(preview);
      const written = await requestMode(kube, preview, signal);
      terminal.out(renderOutcome(format, `${feature.spec.gate} ${meanings[to]}.\n`, written));
      if (preview.leaving.length > 0) terminal.err(`slipway: ${consequence(preview)}\n`);
    });
}

function wouldLeave(preview: ModePreview): CommandError {
  const { feature, leaving } = preview;
  const components = [...new Set(leaving.map(({ component }) => component))].join(' and ');
  const value = leaving[0]?.own === 'Off';
  const hint = `set ${feature.spec.gate}=${value} in the --feature-gates of ${components}, or add --yes`;
  return new CommandError(exit.no, `nothing was changed: ${consequence(preview)}`, hint);
}

/** `OpenAPIV3 becomes Off when these restart, since nothing is published to them then: a (kube-apiserver)`. */
function consequence({ feature, mode, leaving }: ModePreview): string {
  const named = leaving.slice(0, 5).map(({ process, component }) => `${process} (${component})`);
  const more = leaving.length > named.length ? ` and ${leaving.length - named.length} more` : '';
  const when = mode === 'Follow' ? 'when these restart' : 'at once';
  const becomes = `${feature.spec.gate} becomes ${leaving[0]?.own} ${when}`;
  return `${becomes}, since they run the other value only because it is published: ${named.join(', ')}${more}`;
}
