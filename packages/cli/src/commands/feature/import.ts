import { type Adoption, adopt, kubernetesNamespace, manifestOf, previewImport } from '@slipway/features';
import type { Command } from 'commander';
import { type Format, formatOption, isForPeople, renderList } from '../../output/format.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { type ClusterOptions, connect, withCluster } from '../../runtime/connect.js';
import { served } from './find-feature.js';
import { reportLiveness } from './report-liveness.js';

interface Options extends ClusterOptions {
  readonly namespace: string;
  readonly yes?: boolean;
  readonly format: Format;
}

/** `slipway feature import`. */
export function importFeatures({ terminal, signal }: Invocation): Command {
  return withCluster(
    newCommand('import', 'Set the desired state of each feature to what processes run today', [
      'slipway feature import',
      'slipway feature import -o yaml > features.yaml',
      'slipway feature import --yes',
    ]),
  )
    .option('-n, --namespace <name>', 'namespace of the features', kubernetesNamespace)
    .option('--yes', 'write it; without it nothing is changed')
    .addOption(formatOption('table', 'wide', 'json', 'yaml'))
    .action(async ({ namespace, yes, format, ...cluster }: Options) => {
      const kube = await connect(cluster);
      const found = await served(() => previewImport(kube, namespace, signal));
      await reportLiveness(kube, [], { terminal, signal });
      const adoptable = found.filter(({ kind }) => kind === 'adopt');
      if (yes) for (const adoption of adoptable) await adopt(kube, adoption, signal);
      const manifests = adoptable.map(manifestOf);
      const document = { apiVersion: 'v1', kind: 'List', items: manifests };
      terminal.out(renderList(found, { format, document, columns }));
      if (isForPeople(format)) terminal.err(summaryOf(adoptable.length, found.length, yes ?? false));
    });
}

const words: Readonly<Record<Adoption['kind'], string>> = {
  adopt: 'wanted as it is',
  managed: 'decided already',
  reported: 'only reported: nothing declares it',
  unsettled: 'left alone: its processes do not agree yet',
};

const columns = [
  { heading: 'GATE', cell: ({ feature }: Adoption) => feature.spec.gate },
  { heading: 'NOW', cell: ({ value, feature }: Adoption) => value ?? feature.status?.state ?? 'Unknown' },
  { heading: 'IMPORT', cell: ({ kind }: Adoption) => words[kind] },
];

function summaryOf(count: number, all: number, done: boolean): string {
  if (count === 0) return `None of ${all} features is to be imported.\n`;
  return done
    ? `${count} of ${all} features are wanted as they are.\n`
    : `${count} of ${all} features would be wanted as they are. To write it: slipway feature import --yes\n`;
}
