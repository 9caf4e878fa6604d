import { Feature } from '@slipway/features';
import type { Command } from 'commander';
import { type Format, formatOption, renderList } from '../../output/format.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { type ClusterOptions, connect, withCluster } from '../../runtime/connect.js';
import { featureColumns } from './feature-columns.js';
import { served } from './find-feature.js';

interface Options extends ClusterOptions {
  readonly namespace?: string;
  readonly format: Format;
}

/** `slipway feature list`. */
export function list({ terminal, signal }: Invocation): Command {
  return withCluster(
    newCommand('list', 'List the features of a cluster, with what its components run', [
      'slipway feature list',
      'slipway feature list -n kube-system -o json',
    ]),
  )
    .option('-n, --namespace <name>', 'only the features of this namespace')
    .addOption(formatOption('table', 'wide', 'json', 'yaml', 'name'))
    .action(async ({ namespace, format, ...cluster }: Options) => {
      const kube = await connect(cluster);
      const { items } = await served(() => kube.resource(Feature).list({ namespace, signal }));
      if (items.length === 0 && (format === 'table' || format === 'wide')) {
        terminal.err('No features yet: no component has reported a gate.\n');
        return;
      }
      const columns = featureColumns(Date.now());
      const document = { apiVersion: 'v1', kind: 'List', items };
      const name = (feature: Feature) => `feature/${feature.metadata.name}`;
      terminal.out(renderList(items, { format, columns, document, name }));
    });
}
