import type { PullLine } from '../../feeds/limiter-feeds.js';
import { Bar, State } from '../controls/badges.js';
import { Loading, ProblemNotice } from '../controls/notices.js';
import { type Column, fieldColumn, Table } from '../controls/table.js';
import { Age } from '../controls/when.js';
import { useRows } from '../shell/live.js';

interface QueueProps {
  readonly limiter: string;
  readonly isEmpty: boolean;
  readonly onDrop: (image: string) => void;
}

/** The pulls of a limiter: those that run, then those that wait in order. */
export function Queue({ limiter, isEmpty, onDrop }: QueueProps) {
  const { rows, problem } = useRows<PullLine>(`/api/live/queue?${new URLSearchParams({ limiter })}`);
  if (problem) return <ProblemNotice problem={problem} isStale={rows !== undefined} />;
  if (!rows) return <Loading what="its queue" />;
  if (rows.length === 0) return isEmpty ? <p class="faint">Nothing is pulled, and nothing waits.</p> : null;
  return (
    <Table label={`Pulls of ${limiter}`} rows={rows} columns={columnsWith(onDrop)} sortedBy="state" keptAs="pulls" />
  );
}

function columnsWith(onDrop: QueueProps['onDrop']): readonly Column<PullLine>[] {
  return [
    {
      name: 'image',
      label: 'Image',
      width: 'minmax(160px, 3fr)',
      cell: ({ image }) => <span title={image}>{image}</span>,
      sortBy: ({ image }) => image,
    },
    {
      name: 'state',
      label: 'State',
      width: 'minmax(150px, 2fr)',
      cell: ({ state, words }) => <State state={words} look={looks[state]} />,
      sortBy: ({ order }) => order,
      onPhone: 'below',
    },
    {
      name: 'progress',
      label: 'Progress',
      width: 'minmax(180px, 2fr)',
      cell: ({ share, bytes, image }) =>
        share === undefined ? (
          <span class="faint">–</span>
        ) : (
          <span class="progress">
            <Bar done={share} total={1} label={`Progress of ${image}`} /> {bytes}
          </span>
        ),
      sortBy: ({ share = -1 }) => share,
      onPhone: 'below',
    },
    { name: 'rate', label: 'Rate', width: '90px', cell: ({ rate }) => rate },
    {
      name: 'since',
      label: 'For',
      width: '70px',
      cell: ({ since }) => <Age time={since} />,
      sortBy: ({ since }) => since,
      onPhone: 'below',
    },
    fieldColumn('callers', 'Callers', '80px'),
    {
      name: 'pods',
      label: 'Pods',
      width: 'minmax(100px, 1.5fr)',
      cell: ({ pods }) => <span title={pods}>{pods}</span>,
    },
    {
      name: 'drop',
      label: 'Drop',
      width: '70px',
      cell: ({ image, state }) =>
        state === 'waiting' && (
          <button type="button" class="quiet" aria-label={`Drop ${image}`} onClick={() => onDrop(image)}>
            Drop
          </button>
        ),
    },
  ];
}

const looks = {
  running: 'changing',
  verifying: 'changing',
  stalled: 'blocked',
  stopping: 'changing',
  waiting: 'off',
} as const;
