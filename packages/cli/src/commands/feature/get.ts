import type { Command } from 'commander';
import { type Format, formatOption, renderList } from '../../output/format.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { type ClusterOptions, connect, withCluster } from '../../runtime/connect.js';
import { readFeature, requireFeature } from './find-feature.js';
import { livenessOf } from './report-liveness.js';
import { describeFeature } from './views/describe-feature.js';

interface Options extends ClusterOptions {
  readonly namespace?: string;
  readonly format: Format;
}

/** `slipway feature get GATE`. */
export function get({ terminal, signal }: Invocation): Command {
  return withCluster(
    newCommand('get', 'Show one feature: its state, the values of its processes, and the next step', [
      'slipway feature get MaxUnavailableStatefulSet',
      'slipway feature get MaxUnavailableStatefulSet -o yaml',
    ]),
  )
    .argument('<gate>', 'name of the gate, in any case')
    .option('-n, --namespace <name>', 'namespace of the feature')
    .addOption(formatOption('table', 'json', 'yaml'))
    .action(async (gate: string, { namespace, format, ...cluster }: Options) => {
      const kube = await connect(cluster);
      if (format !== 'table') {
        const feature = await requireFeature(kube, gate, namespace, { terminal, signal });
        terminal.out(renderList([feature], { format, columns: [], document: feature }));
        return;
      }
      const feature = await readFeature(kube, gate, namespace, signal);
      terminal.out(describeFeature(feature, Date.now(), await livenessOf(kube, [feature], signal)));
    });
}
