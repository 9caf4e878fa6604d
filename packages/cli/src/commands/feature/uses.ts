import { type Feature, FeatureDefinition, listUses, type ProcessUse, usesByNode } from '@slipway/features';
import type { Kube } from '@slipway/kube';
import { type Command, Option } from 'commander';
import { renderAge } from '../../output/duration.js';
import { type Format, formatOption, renderList } from '../../output/format.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { type ClusterOptions, connect, withCluster } from '../../runtime/connect.js';
import { requireFeature } from './find-feature.js';

interface Options extends ClusterOptions {
  readonly namespace?: string;
  readonly component?: string;
  readonly value?: ProcessUse['value'] | 'old';
  readonly unread?: boolean;
  readonly nodes?: boolean;
  readonly format: Format;
}

/** `slipway feature uses GATE`. */
export function uses({ terminal, signal }: Invocation): Command {
  return withCluster(
    newCommand('uses', 'List every process that reports a gate, with the value it runs', [
      'slipway feature uses MaxUnavailableStatefulSet',
      'slipway feature uses MaxUnavailableStatefulSet --value on --component kube-controller-manager',
      'slipway feature uses ImageVolume --value old',
      'slipway feature uses ImageVolume --nodes --value silent',
    ]),
  )
    .argument('<gate>', 'name of the gate, in any case')
    .option('-n, --namespace <name>', 'namespace of the feature')
    .option('--component <name>', 'only processes of this component')
    .addOption(
      new Option(
        '--value <value>',
        'only processes with this value; old is every other than the feature is to have',
      ).choices(['on', 'off', 'mixed', 'unregistered', 'silent', 'old']),
    )
    .option('--unread', 'only processes whose code has not asked for the value')
    .option('--nodes', 'by node, with silent nodes')
    .addOption(formatOption('table', 'wide', 'json', 'yaml', 'name'))
    .action(async (gate: string, { namespace, component, value, unread, nodes, format, ...cluster }: Options) => {
      const kube = await connect(cluster);
      const feature = await requireFeature(kube, gate, namespace, { terminal, signal });
      const all = await listUses(kube, feature.metadata.namespace ?? '', feature.spec.gate, signal);
      const isWanted = ofValue(feature, value);
      const rows = (nodes ? await byNode(kube, feature, all, signal) : all).filter(
        (use) => (component === undefined || use.component === component) && isWanted(use) && !(unread && use.read),
      );
      const nowMs = Date.now();
      terminal.out(
        renderList(rows, {
          format,
          document: rows,
          name: (use) => `featureuse/${use.process}`,
          columns: [
            { heading: 'COMPONENT', cell: (use) => use.component },
            { heading: 'INSTANCE', weight: 9, cell: (use) => use.instance },
            { heading: 'VALUE', weight: 8, cell: (use) => use.value },
            { heading: 'SET', weight: 0, cell: (use) => (use.set ? 'flag' : 'no') },
            { heading: 'READ', cell: (use) => (use.read ? 'yes' : 'no') },
            { heading: 'VERSION', cell: (use) => use.version },
            { heading: 'NODE', wide: !nodes, cell: (use) => use.node ?? '' },
            { heading: 'SOURCE', wide: true, cell: (use) => use.source },
            { heading: 'REPORTED', cell: (use) => (use.renewTime ? `${renderAge(use.renewTime, nowMs)} ago` : '') },
          ],
        }),
      );
    });
}

/** `old` is whatever is not what the feature is on its way to, among those that should have it. */
function ofValue({ status }: Feature, value: Options['value']): (use: ProcessUse) => boolean {
  if (value === undefined) return () => true;
  if (value !== 'old') return (use) => use.value === value;
  const { transition, state, configured } = status ?? {};
  const isOn = transition ? transition.to === 'On' : state === 'On' || (state !== 'Off' && configured?.value === true);
  const concerned = new Set(status?.uses?.components.map(({ name }) => name));
  return (use) => concerned.has(use.component) && use.value !== (isOn ? 'on' : 'off');
}

async function byNode(
  kube: Kube,
  { metadata, spec }: Feature,
  uses: readonly ProcessUse[],
  signal: AbortSignal,
): Promise<readonly ProcessUse[]> {
  const { name = '', namespace } = metadata;
  const definition = await kube.resource(FeatureDefinition).find({ name, namespace }, signal);
  return usesByNode(kube, uses, definition?.spec ?? { gate: spec.gate, components: [] }, signal);
}
