import { mergeSpec } from '@slipway/features';
import type { Command } from 'commander';
import type { Format } from '../../output/format.js';
import { outcomeOption, renderOutcome } from '../../output/outcome.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { type ClusterOptions, connect, withCluster } from '../../runtime/connect.js';
import { requireFeature } from './find-feature.js';

interface Options extends ClusterOptions {
  readonly namespace?: string;
  readonly format: Format;
}

/** `slipway feature pause GATE`. */
export const pause = pausing('pause', 'Pause a transition after its present page of objects', true);

/** `slipway feature resume GATE`. */
export const resume = pausing('resume', 'Let a transition go on', false);

function pausing(verb: string, summary: string, paused: boolean): (invocation: Invocation) => Command {
  return ({ terminal, signal }) =>
    withCluster(newCommand(verb, summary, [`slipway feature ${verb} MaxUnavailableStatefulSet`]))
      .argument('<gate>', 'name of the gate, in any case')
      .option('-n, --namespace <name>', 'namespace of the feature')
      .addOption(outcomeOption())
      .action(async (gate: string, { namespace, format, ...cluster }: Options) => {
        const kube = await connect(cluster);
        const { metadata, spec } = await requireFeature(kube, gate, namespace, { terminal, signal });
        const ref = { name: metadata.name ?? '', namespace: metadata.namespace };
        const written = await mergeSpec(kube, ref, { spec: { paused: paused || null } }, signal);
        const text = paused
          ? `${spec.gate} is paused. Let it go on with: slipway feature resume ${spec.gate}\n`
          : `${spec.gate} goes on.\n`;
        terminal.out(renderOutcome(format, text, written));
      });
}
