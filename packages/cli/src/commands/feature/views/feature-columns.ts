import type { Feature } from '@slipway/features';
import { findCondition } from '@slipway/kube';
import { renderAge } from '../../../output/duration.js';
import type { TableColumn } from '../../../output/table.js';

/**
 * Returns the columns of a listing of features, in the words that the server put into `status.summary`. It fits a
 * terminal of 100 columns, and one of 80 without its lightest: what people rarely ask for is shown only with `-o
 * wide`, and so is the namespace where it is the same for all.
 */
export function featureColumns(features: readonly Feature[], nowMs: number): TableColumn<Feature>[] {
  const namespaces = new Set(features.map(({ metadata }) => metadata.namespace));
  return [
    { heading: 'NAMESPACE', wide: namespaces.size < 2, cell: ({ metadata }) => metadata.namespace ?? '' },
    { heading: 'GATE', weight: 9, cell: ({ spec }) => spec.gate },
    { heading: 'STAGE', cell: ({ status }) => status?.effective?.stage ?? '' },
    {
      heading: 'STATE',
      weight: 8,
      state: true,
      cell: ({ status }) => status?.summary?.state ?? status?.state ?? 'Unknown',
    },
    { heading: 'CONFIGURED', weight: 0, cell: ({ status }) => status?.summary?.configured ?? '' },
    { heading: 'USES', cell: ({ status }) => status?.summary?.uses ?? '' },
    { heading: 'DANGLING', weight: 0, cell: ({ status }) => status?.summary?.dangling ?? '' },
    { heading: 'UPGRADE', state: true, cell: upgrade },
    { heading: 'SINCE', wide: true, cell: ({ status }) => renderAge(status?.stateSince, nowMs) },
    { heading: 'NEXT', wide: true, cell: ({ status }) => status?.summary?.next ?? '' },
    { heading: 'BLOCKED', wide: true, cell: ({ status }) => status?.summary?.blocked ?? '' },
    { heading: 'UNSAFE', wide: true, cell: whyNoUpgrade },
    { heading: 'AGE', wide: true, cell: ({ metadata }) => renderAge(metadata.creationTimestamp, nowMs) },
  ];
}

/** Whether something about the feature speaks against an upgrade; "slipway upgrade check" says it in full. */
function upgrade({ status }: Feature): string {
  const safe = findCondition(status?.conditions, 'UpgradeSafe');
  if (!safe || safe.status === 'Unknown') return 'unknown';
  return safe.status === 'True' ? 'ok' : 'blocked';
}

function whyNoUpgrade({ status }: Feature): string {
  const safe = findCondition(status?.conditions, 'UpgradeSafe');
  return safe?.status === 'False' ? safe.reason : '';
}
