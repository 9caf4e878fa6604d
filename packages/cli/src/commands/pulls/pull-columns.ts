import { bytesText, type PullRow, secondsText, stateText } from '@slipway/image-pulls/views';
import type { TableColumn } from '../../output/table.js';

/** The columns of `slipway pulls list`. */
export const pullColumns: readonly TableColumn<PullRow>[] = [
  { heading: 'IMAGE', cell: ({ image }) => image || '(unreadable)' },
  { heading: 'STATE', weight: 9, state: true, cell: stateText },
  { heading: 'CALLERS', weight: 0, cell: ({ callers }) => String(callers) },
  { heading: 'WAITED', weight: 0, cell: ({ waitedMs }) => secondsText(waitedMs) },
  { heading: 'RUNNING', cell: ({ runningMs, position }) => (position > 0 ? '-' : secondsText(runningMs)) },
  { heading: 'BYTES', weight: 2, cell: bytesText },
  { heading: 'REGISTRY', wide: true, cell: ({ registry }) => registry || '-' },
  { heading: 'PODS', wide: true, cell: ({ pods }) => pods.join(',') || '-' },
];
