import { FeatureDefinition, retireFeature, whyKept } from '@slipway/features';
import { hasReason } from '@slipway/kube';
import type { Command } from 'commander';
import type { Format } from '../../output/format.js';
import { outcomeOption, renderOutcome } from '../../output/outcome.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { type ClusterOptions, connect, withCluster } from '../../runtime/connect.js';
import { CommandError, exit } from '../../runtime/exit.js';
import { requireFeature } from './find-feature.js';

interface Options extends ClusterOptions {
  readonly namespace?: string;
  readonly force?: boolean;
  readonly format: Format;
}

/** `slipway feature retire GATE`. */
export function retire(invocation: Invocation): Command {
  return withCluster(
    newCommand('retire', 'Delete an unknown feature, or say why it is kept', [
      'slipway feature retire OldFeature',
      'slipway feature retire OldFeature --force',
    ]),
  )
    .argument('<gate>', 'name of the gate, in any case')
    .option('-n, --namespace <name>', 'namespace of the feature')
    .option('--force', 'delete it even if uses may remain')
    .addOption(outcomeOption())
    .action((gate: string, options: Options) => run(gate, options, invocation));
}

async function run(name: string, { namespace, force, format, ...to }: Options, invocation: Invocation): Promise<void> {
  const { terminal, signal } = invocation;
  const kube = await connect(to);
  const feature = await requireFeature(kube, name, namespace, { terminal, signal });
  const { gate } = feature.spec;
  const kept = whyKept(feature);
  if (!kept.isUnknown) {
    const message = `${gate} is not forgotten, and would be announced again: ${kept.message}`;
    throw new CommandError(exit.no, message, `slipway feature explain ${gate}`);
  }
  if (!force) {
    throw new CommandError(exit.no, `${gate} is kept: ${kept.message}`, `slipway feature retire ${gate} --force`);
  }
  const { uid = '', resourceVersion = '' } = feature.metadata;
  const ref = { name: feature.metadata.name ?? '', namespace: feature.metadata.namespace };
  const definition = await kube.resource(FeatureDefinition).find(ref, signal);
  try {
    await retireFeature(kube, ref, definition, { uid, resourceVersion }, signal);
  } catch (error) {
    if (!hasReason(error, 'Conflict')) throw error;
    const message = `${gate} was written meanwhile, and stays`;
    throw new CommandError(exit.no, message, `slipway feature get ${gate}`, { cause: error });
  }
  terminal.out(renderOutcome(format, `${gate} is retired.\n`, { gate, ...ref, retired: true }));
}
