import { useMemo } from 'preact/hooks';
import type { NodeLine } from '../../feeds/nodes-feed.js';
import { State } from '../controls/badges.js';
import { fittingOf, OneOf, type RowFilter, Search } from '../controls/filters.js';
import { Empty, Missing, Pending } from '../controls/notices.js';
import { type Column, fieldColumn, Table } from '../controls/table.js';
import { useRows } from '../shell/live.js';
import { Link, useAddress } from '../shell/router.js';
import { BarLegend, NodeBar } from './node-bar.js';

const filters: readonly RowFilter<NodeLine>[] = [
  { name: 'wrong', label: 'Wrong', fits: ({ isWrong }: NodeLine) => isWrong },
  { name: 'resizing', label: 'Resizing', fits: ({ state }: NodeLine) => state.startsWith('Resizing') },
  { name: 'smaller', label: 'Smaller than whole', fits: ({ measures }: NodeLine) => isHidden(measures.balloon) },
];

/** A balloon of no more than this hides nothing. */
const smallestBytes = 8 * 1024 ** 2;

function isHidden({ cpu, memory }: NodeLine['measures']['balloon']): boolean {
  return cpu > 0 || memory > smallestBytes;
}

const columns: readonly Column<NodeLine>[] = [
  {
    name: 'node',
    label: 'Node',
    width: 'minmax(120px, 1.4fr)',
    cell: ({ key }) => <Link to={`/nodes/${key}`}>{key}</Link>,
    sortBy: ({ key }) => key,
  },
  {
    name: 'bar',
    label: 'cpu over memory',
    onPhone: 'below',
    width: 'minmax(200px, 3fr)',
    cell: (line) => (
      <>
        <NodeBar line={line} resource="cpu" label={`cpu: ${barText(line, 0)}`} />
        <NodeBar line={line} resource="memory" label={`memory: ${barText(line, 1)}`} />
      </>
    ),
  },
  {
    name: 'size',
    label: 'Size',
    width: '96px',
    cell: ({ words }) => words.size,
    sortBy: ({ measures }) => measures.size.cpu,
    onPhone: 'below',
  },
  {
    name: 'balloon',
    label: 'Balloon',
    width: '96px',
    cell: ({ words }) => words.balloon,
    sortBy: ({ measures }) => measures.balloon.cpu,
  },
  {
    name: 'requested',
    label: 'Requested',
    width: '112px',
    cell: ({ words }) => words.requested,
    sortBy: ({ measures }) => measures.requested.cpu,
  },
  {
    name: 'free',
    label: 'Free',
    width: '96px',
    cell: ({ words }) => words.free,
    sortBy: ({ measures }) => measures.free.cpu,
    onPhone: 'below',
  },
  {
    name: 'state',
    label: 'State',
    width: 'minmax(110px, 1fr)',
    cell: ({ state }) => <State state={state} />,
    sortBy: ({ state }) => state,
    onPhone: 'beside',
  },
  fieldColumn('last', 'Last', 'minmax(110px, 1fr)'),
];

function barText({ words }: NodeLine, at: 0 | 1): string {
  const of = (text: string) => text.split(' / ')[at] ?? '';
  return `${of(words.requested)} requested, ${of(words.free)} free, ${of(words.balloon)} does not exist, of ${of(words.hardware)}`;
}

/** All nodes as bars, with filters that the address keeps. */
export function NodesPage() {
  const { query } = useAddress();
  const { rows, problem } = useRows<NodeLine>('/api/live/nodes');
  const text = (query.get('q') ?? '').toLowerCase();
  const chosen = filters.find(({ name }) => name === query.get('is'));
  const fitting = useMemo(
    () =>
      (rows ?? []).filter(
        (row) => (chosen?.fits(row) ?? true) && `${row.key} ${row.policy} ${row.host}`.toLowerCase().includes(text),
      ),
    [rows, chosen, text],
  );
  return (
    <>
      <header class="page-head">
        <h1>Nodes</h1>
        {rows && <p class="faint">{fittingOf(fitting, rows)}</p>}
      </header>
      <Pending what="nodes" shown={rows} problem={problem} />
      {rows && rows.length > 0 && (
        <div class="filters">
          <Search label="Find a node" value={query.get('q') ?? ''} />
          <OneOf filters={filters} rows={rows} chosen={chosen} />
          <BarLegend />
        </div>
      )}
      {rows?.length === 0 && (
        <Empty title="No nodes">This cluster has no node yet. They appear here as soon as one joins.</Empty>
      )}
      {rows && rows.length > 0 && fitting.length === 0 && (
        <Missing title="No node fits" all="/nodes" link={`Show all ${rows.length}`} />
      )}
      {fitting.length > 0 && (
        <Table label="Nodes" rows={fitting} columns={columns} pathOf={({ key }) => `/nodes/${key}`} sortedBy="node" />
      )}
    </>
  );
}
