import { listUses, type ProcessUse } from '@slipway/features';
import { type Command, Option } from 'commander';
import { renderAge } from '../../output/duration.js';
import { type Format, formatOption, renderList } from '../../output/format.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { type ClusterOptions, connect, withCluster } from '../../runtime/connect.js';
import { demandFeature } from './find-feature.js';

interface Options extends ClusterOptions {
  readonly namespace?: string;
  readonly component?: string;
  readonly value?: ProcessUse['value'];
  readonly format: Format;
}

/** `slipway feature uses GATE`. */
export function uses({ terminal, signal }: Invocation): Command {
  return withCluster(
    newCommand('uses', 'List every process that reports a gate, with the value it runs', [
      'slipway feature uses MaxUnavailableStatefulSet',
      'slipway feature uses MaxUnavailableStatefulSet --value on --component kube-controller-manager',
    ]),
  )
    .argument('<gate>', 'name of the gate, in any case')
    .option('-n, --namespace <name>', 'namespace of the feature')
    .option('--component <name>', 'only processes of this component')
    .addOption(
      new Option('--value <value>', 'only processes with this value').choices(['on', 'off', 'mixed', 'unregistered']),
    )
    .addOption(formatOption('table', 'wide', 'json', 'yaml', 'name'))
    .action(async (gate: string, { namespace, component, value, format, ...cluster }: Options) => {
      const kube = await connect(cluster);
      const feature = await demandFeature(kube, gate, namespace, signal);
      const all = await listUses(kube, feature.metadata.namespace ?? '', feature.spec.gate, signal);
      const rows = all.filter(
        (use) =>
          (component === undefined || use.component === component) && (value === undefined || use.value === value),
      );
      const nowMs = Date.now();
      terminal.out(
        renderList(rows, {
          format,
          document: rows,
          name: (use) => `featureuse/${use.process}`,
          columns: [
            { heading: 'COMPONENT', cell: (use) => use.component },
            { heading: 'INSTANCE', cell: (use) => use.instance },
            { heading: 'VALUE', cell: (use) => use.value },
            { heading: 'SET', cell: (use) => (use.set ? 'flag' : 'no') },
            { heading: 'READ', cell: (use) => (use.read ? 'yes' : 'no') },
            { heading: 'VERSION', cell: (use) => use.version },
            { heading: 'NODE', wide: true, cell: (use) => use.node ?? '' },
            { heading: 'SOURCE', wide: true, cell: (use) => use.source },
            { heading: 'REPORTED', cell: (use) => `${renderAge(use.renewTime, nowMs)} ago` },
          ],
        }),
      );
    });
}
