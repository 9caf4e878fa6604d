import type { NodePull } from '@slipway/image-pulls/views';
import { State } from '../controls/badges.js';
import { Pending } from '../controls/notices.js';
import { type Column, Table } from '../controls/table.js';
import { Age } from '../controls/when.js';
import { useRows } from '../shell/live.js';
import { Link } from '../shell/router.js';
import { Outlook } from './outlook.js';

const columns: readonly Column<NodePull>[] = [
  {
    name: 'pod',
    label: 'Pod',
    width: 'minmax(160px, 1.5fr)',
    cell: ({ pod }) => <span title={pod}>{pod}</span>,
    sortBy: ({ pod }) => pod,
  },
  {
    name: 'state',
    label: 'State',
    width: '110px',
    cell: ({ state }) => <State state={state} look={state === 'failed' ? 'blocked' : 'changing'} />,
    sortBy: ({ state }) => state,
    onPhone: 'beside',
  },
  {
    name: 'since',
    label: 'For',
    width: '70px',
    cell: ({ since }) => <Age time={since} />,
    sortBy: ({ since }) => since,
  },
  {
    name: 'image',
    label: 'Image',
    width: 'minmax(160px, 2fr)',
    cell: ({ image }) => <span title={image}>{image}</span>,
    sortBy: ({ image }) => image,
    onPhone: 'below',
  },
  {
    name: 'message',
    label: 'Its kubelet says',
    width: 'minmax(160px, 3fr)',
    cell: ({ message }) => <span title={message}>{message}</span>,
  },
];

/** The pulls of one node, as its kubelet reports them. */
export function NodePullsPage({ name }: { readonly name: string }) {
  const { rows, problem } = useRows<NodePull>(`/api/live/node-pulls?${new URLSearchParams({ name })}`);
  return (
    <>
      <p class="trail">
        <Link to="/pulls">Pulls</Link>
      </p>
      <header class="page-head">
        <h1>{name}</h1>
        <p class="faint">
          <Link to={`/nodes/${encodeURIComponent(name)}`}>its size</Link>
        </p>
      </header>
      <Pending what={`events of ${name}`} shown={rows} problem={problem} />
      {rows && (
        <div class="sections">
          <section>
            <h2>Images that pods wait for</h2>
            {rows.length === 0 && <p class="faint">No pod of this node waits for an image.</p>}
            {rows.length > 0 && <Table label={`Pulls of ${name}`} rows={rows} columns={columns} sortedBy="since" />}
          </section>
          <section>
            <h2>What other limits would have meant</h2>
            <Outlook of={{ node: name }} />
          </section>
        </div>
      )}
    </>
  );
}
