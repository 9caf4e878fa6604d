import type { Feature } from '@slipway/features';
import { findCondition } from '@slipway/kube';
import { renderAge } from '../../output/duration.js';
import type { TableColumn } from '../../output/table.js';

/** What a listing of features shows, in the words the server itself put into `status.summary`. */
export function featureColumns(nowMs: number): TableColumn<Feature>[] {
  return [
    { heading: 'NAMESPACE', cell: ({ metadata }) => metadata.namespace ?? '' },
    { heading: 'GATE', cell: ({ spec }) => spec.gate },
    { heading: 'STAGE', cell: ({ status }) => status?.effective?.stage ?? '' },
    { heading: 'STATE', cell: ({ status }) => status?.summary?.state ?? status?.state ?? 'Unknown' },
    { heading: 'CONFIGURED', cell: ({ status }) => status?.summary?.configured ?? '' },
    { heading: 'USES', cell: ({ status }) => status?.summary?.uses ?? '' },
    { heading: 'DANGLING', cell: ({ status }) => status?.summary?.dangling ?? '' },
    { heading: 'UPGRADE', cell: upgrade },
    { heading: 'SINCE', wide: true, cell: ({ status }) => renderAge(status?.stateSince, nowMs) },
    { heading: 'NEXT', wide: true, cell: ({ status }) => status?.summary?.next ?? '' },
    { heading: 'BLOCKED', wide: true, cell: ({ status }) => status?.summary?.blocked ?? '' },
    { heading: 'AGE', cell: ({ metadata }) => renderAge(metadata.creationTimestamp, nowMs) },
  ];
}

/** Whether something about the feature speaks against an upgrade; "slipway upgrade check" says it in full. */
function upgrade({ status }: Feature): string {
  const safe = findCondition(status?.conditions, 'UpgradeSafe');
  if (!safe || safe.status === 'Unknown') return 'unknown';
  return safe.status === 'True' ? 'ok' : `blocked ${safe.reason}`;
}
