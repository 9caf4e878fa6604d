import type { Feature } from '@slipway/features';
import { type FeatureRow, featureRow } from '@slipway/features/views';
import { renderAge } from '../../../output/duration.js';
import type { TableColumn } from '../../../output/table.js';

/**
 * Returns the columns of a listing of features, in the words that the server put into `status.summary`. It fits a
 * terminal of 100 columns, and one of 80 without its lightest: what people rarely ask for is shown only with `-o
 * wide`, and so is the namespace where it is the same for all.
 */
export function featureColumns(features: readonly Feature[], nowMs: number): TableColumn<Feature>[] {
  const namespaces = new Set(features.map(({ metadata }) => metadata.namespace));
  const of = (
    heading: string,
    part: keyof FeatureRow,
    more: Partial<TableColumn<Feature>> = {},
  ): TableColumn<Feature> => ({
    heading,
    ...more,
    cell: (feature) => featureRow(feature)[part] ?? '',
  });
  const age = (heading: string, part: 'since' | 'created'): TableColumn<Feature> => ({
    heading,
    wide: true,
    cell: (feature) => renderAge(featureRow(feature)[part], nowMs),
  });
  return [
    of('NAMESPACE', 'namespace', { wide: namespaces.size < 2 }),
    of('GATE', 'gate', { weight: 9 }),
    of('STAGE', 'stage'),
    of('STATE', 'state', { weight: 8, state: true }),
    of('CONFIGURED', 'configured', { weight: 0 }),
    of('USES', 'uses'),
    of('DANGLING', 'dangling', { weight: 0 }),
    of('UPGRADE', 'upgrade', { state: true }),
    age('SINCE', 'since'),
    of('NEXT', 'next', { wide: true }),
    of('BLOCKED', 'blocked', { wide: true }),
    of('UNSAFE', 'unsafe', { wide: true }),
    age('AGE', 'created'),
  ];
}
