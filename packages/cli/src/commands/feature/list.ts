import { Feature, isNotInstalled } from '@slipway/features';
import { hasReason, type Kube, type ListPage } from '@slipway/kube';
import type { Command } from 'commander';
import { type Format, formatOption, renderList } from '../../output/format.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { type ClusterOptions, connect, withCluster } from '../../runtime/connect.js';
import { type FeatureFilters, filtered, withFilters } from './feature-filters.js';
import { listWithoutUs } from './list-without-us.js';
import { reportLiveness } from './report-liveness.js';
import { featureColumns } from './views/feature-columns.js';

interface Options extends ClusterOptions, FeatureFilters {
  readonly namespace?: string;
  readonly format: Format;
}

/** `slipway feature list`. */
export function list(invocation: Invocation): Command {
  const { terminal, signal } = invocation;
  return withFilters(
    withCluster(
      newCommand('list', 'List the features of a cluster, with what its components run', [
        'slipway feature list',
        'slipway feature list --changing -o wide',
        'slipway feature list -n kube-system -o json',
        'slipway feature list --context production   (also where nothing of Slipway is installed)',
      ]),
    ),
  )
    .option('-n, --namespace <name>', 'only the features of this namespace')
    .addOption(formatOption('table', 'wide', 'json', 'yaml', 'name'))
    .action(async ({ namespace, format, ...cluster }: Options) => {
      const kube = await connect(cluster);
      const all = await listed(kube, namespace, signal);
      if (!all) return listWithoutUs(kube, { ...cluster, format }, invocation);
      await reportLiveness(kube, all.items, { terminal, signal });
      const items = await filtered(kube, all.items, cluster, signal);
      if (items.length === 0 && (format === 'table' || format === 'wide')) {
        const none = all.items.length === 0 ? 'No features yet: no component has reported a gate.' : 'No feature fits.';
        terminal.err(`${none}\n`);
        return;
      }
      const columns = featureColumns(items, Date.now());
      const document = { apiVersion: 'v1', kind: 'List', items };
      const name = (feature: Feature) => `feature/${feature.metadata.name}`;
      terminal.out(renderList(items, { format, columns, document, name }));
    });
}

/** The features of a cluster; undefined where they are not served. Who has no rights is refused before that is said. */
async function listed(
  kube: Kube,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<ListPage<Feature> | undefined> {
  try {
    return await kube.resource(Feature).list({ namespace, signal });
  } catch (error) {
    if (isNotInstalled(error)) return undefined;
    if (!hasReason(error, 'Forbidden')) throw error;
    const { resources } = await kube.discover(signal);
    if (resources.some(({ group }) => group === Feature.group)) throw error;
    return undefined;
  }
}
