import type { FeatureTrait } from '@slipway/features/views';
import type { FeatureLine } from '../../feeds/features-feed.js';
import { State } from '../controls/badges.js';
import { Chip, fittingOf, Search } from '../controls/filters.js';
import { Empty, Missing, Pending } from '../controls/notices.js';
import { type Column, fieldColumn, Table } from '../controls/table.js';
import { Age } from '../controls/when.js';
import { useRows } from '../shell/live.js';
import { Link, setQuery, useAddress } from '../shell/router.js';

const traits: readonly { readonly trait: FeatureTrait; readonly label: string }[] = [
  { trait: 'on', label: 'On' },
  { trait: 'off', label: 'Off' },
  { trait: 'changing', label: 'Changing' },
  { trait: 'dangling', label: 'Dangling' },
  { trait: 'drift', label: 'Drift' },
];

const columns: readonly Column<FeatureLine>[] = [
  {
    name: 'gate',
    label: 'Gate',
    width: 'minmax(220px, 3fr)',
    cell: (row) => <Link to={pathOf(row)}>{row.gate}</Link>,
    sortBy: ({ gate }) => gate,
  },
  {
    name: 'state',
    label: 'State',
    width: 'minmax(130px, 1.4fr)',
    cell: ({ state }) => <State state={state} />,
    sortBy: ({ state }) => state,
    onPhone: 'beside',
  },
  fieldColumn('stage', 'Stage', '100px', 'below'),
  fieldColumn('configured', 'Configured', 'minmax(110px, 1fr)'),
  fieldColumn('uses', 'Uses', 'minmax(90px, 1fr)', 'below'),
  {
    name: 'dangling',
    label: 'Dangling',
    width: '90px',
    cell: ({ dangling }) => dangling,
    sortBy: ({ dangling }) => Number.parseInt(dangling, 10) || 0,
  },
  {
    name: 'upgrade',
    label: 'Upgrade',
    width: '110px',
    cell: ({ upgrade }) => <State state={upgrade} />,
    sortBy: ({ upgrade }) => upgrade,
  },
  {
    name: 'since',
    label: 'Since',
    width: '80px',
    cell: ({ since }) => <Age time={since} />,
    sortBy: ({ since = '' }) => since,
  },
  fieldColumn('namespace', 'Namespace', 'minmax(100px, 1fr)'),
];

function pathOf({ key }: FeatureLine): string {
  return `/features/${key}`;
}

/** All features, with filters that the address keeps. */
export function FeaturesPage() {
  const { query } = useAddress();
  const { rows, problem } = useRows<FeatureLine>('/api/live/features');
  const text = query.get('q') ?? '';
  const chosen = (query.get('is') ?? '').split(',').filter((word) => word !== '');
  const toggle = (trait: string) =>
    setQuery('is', (chosen.includes(trait) ? chosen.filter((one) => one !== trait) : [...chosen, trait]).join(','));
  const fitting = (rows ?? []).filter(
    (row) =>
      chosen.every((trait) => row.traits.includes(trait as FeatureTrait)) &&
      `${row.gate} ${row.namespace} ${row.stage}`.toLowerCase().includes(text.toLowerCase()),
  );
  const spaces = new Set(rows?.map(({ namespace }) => namespace)).size;
  return (
    <>
      <header class="page-head">
        <h1>Features</h1>
        {rows && <p class="faint">{fittingOf(fitting, rows)}</p>}
      </header>
      <Pending what="features" shown={rows} problem={problem} />
      {rows && rows.length > 0 && (
        <div class="filters">
          <Search label="Find a gate" value={text} />
          {traits.map(({ trait, label }) => (
            <Chip
              key={trait}
              label={label}
              count={rows.filter((row) => row.traits.includes(trait)).length}
              isOn={chosen.includes(trait)}
              onToggle={() => toggle(trait)}
            />
          ))}
        </div>
      )}
      {rows?.length === 0 && (
        <Empty title="No features yet">
          <p>No component of this cluster has reported a gate. They appear here as soon as one does.</p>
        </Empty>
      )}
      {rows && rows.length > 0 && fitting.length === 0 && (
        <Missing title="No feature fits" all="/features" link={`Show all ${rows.length}`} />
      )}
      {fitting.length > 0 && (
        <Table
          label="Features"
          rows={fitting}
          columns={spaces > 1 ? columns : columns.filter(({ name }) => name !== 'namespace')}
          pathOf={pathOf}
          sortedBy="gate"
        />
      )}
    </>
  );
}
