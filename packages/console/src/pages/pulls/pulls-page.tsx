import type { LimiterCard } from '../../feeds/limiter-feeds.js';
import type { NodePullsLine } from '../../feeds/node-pulls-feeds.js';
import { Command } from '../controls/command.js';
import { Search } from '../controls/filters.js';
import { Empty, Missing, Pending, ProblemNotice } from '../controls/notices.js';
import { type Column, fieldColumn, Table } from '../controls/table.js';
import { Age } from '../controls/when.js';
import { useDocument, useRows } from '../shell/live.js';
import { Link, useAddress } from '../shell/router.js';
import { LimiterSection } from './limiter-section.js';

/** Pull limiters with their queues, and what kubelets report of every node. */
export function PullsPage() {
  const { document: cards, problem } = useDocument<readonly LimiterCard[]>('/api/live/limiters');
  const shown = cards?.filter(({ isAssumed, problem: why }) => !isAssumed || why?.kind !== 'away') ?? [];
  return (
    <>
      <header class="page-head">
        <h1>Pulls</h1>
        {shown.length > 0 && (
          <p>
            <a href="#nodes">Nodes</a>
          </p>
        )}
      </header>
      {problem && <ProblemNotice problem={problem} isStale={cards !== undefined} />}
      <div class="sections">
        {shown.map((card) => (
          <LimiterSection key={card.name} card={card} />
        ))}
        {cards && shown.length === 0 && (
          <section class="next">
            <h2>Queues</h2>
            <p>
              No pull limiter runs on this machine. To see the queue of a node and to change its limit, forward the
              socket of its limiter and name it:
            </p>
            <p>
              <Command text="ssh -NL /tmp/NODE.sock:/run/slipway/pulls/image.sock.admin NODE" />
            </p>
            <p>
              <Command text="slipway console --pulls NODE=/tmp/NODE.sock" />
            </p>
          </section>
        )}
      </div>
      <Nodes />
    </>
  );
}

const columns: readonly Column<NodePullsLine>[] = [
  {
    name: 'node',
    label: 'Node',
    width: 'minmax(140px, 2fr)',
    cell: ({ key }) => <Link to={pathOf({ key })}>{key}</Link>,
    sortBy: ({ key }) => key,
  },
  fieldColumn('pulling', 'Pulling', 'minmax(80px, 1fr)', 'beside'),
  {
    name: 'longest',
    label: 'Longest',
    width: 'minmax(80px, 1fr)',
    cell: ({ since }) => <Age time={since} />,
    sortBy: ({ since = '9' }) => since,
    onPhone: 'below',
  },
  {
    name: 'failing',
    label: 'Failing',
    width: 'minmax(80px, 1fr)',
    cell: ({ failing }) => (failing > 0 ? <span class="warn">{failing}</span> : failing),
    sortBy: ({ failing }) => failing,
    onPhone: 'below',
  },
  fieldColumn('ended', 'Pulled', 'minmax(80px, 1fr)'),
  {
    name: 'mean',
    label: 'Mean time',
    width: 'minmax(100px, 1fr)',
    cell: ({ mean }) => mean,
    sortBy: ({ meanMs }) => meanMs,
    onPhone: 'below',
  },
];

function pathOf({ key }: Pick<NodePullsLine, 'key'>): string {
  return `/pulls/${encodeURIComponent(key)}`;
}

function Nodes() {
  const { query } = useAddress();
  const { rows, problem } = useRows<NodePullsLine>('/api/live/pulls');
  const text = query.get('q') ?? '';
  const fitting = (rows ?? []).filter(({ key }) => key.toLowerCase().includes(text.toLowerCase()));
  return (
    <>
      <h2 class="below" id="nodes">
        Nodes, as their kubelets report <span class="faint">events of the last hour</span>
      </h2>
      <Pending what="events" shown={rows} problem={problem} />
      {rows?.length === 0 && (
        <Empty title="No node pulled an image lately">
          <p>A node appears here as soon as its kubelet writes an event of a pull, and for an hour.</p>
        </Empty>
      )}
      {rows && rows.length > 0 && (
        <div class="filters">
          <Search label="Find a node" value={text} />
        </div>
      )}
      {fitting.length > 0 && (
        <Table label="Nodes" rows={fitting} columns={columns} pathOf={pathOf} sortedBy="-pulling" />
      )}
      {rows && rows.length > 0 && fitting.length === 0 && (
        <Missing title="No node fits" all="/pulls" link={`Show all ${rows.length}`} />
      )}
    </>
  );
}
