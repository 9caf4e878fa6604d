/** One panel of the dashboard. */
export interface PanelSource {
  readonly title: string;
  readonly expr: string;
  /** Name of each series, such as `{{feature}}`. */
  readonly legend: string;
  readonly unit?: string;
  readonly type?: 'timeseries' | 'table' | 'stat';
}

interface Row {
  readonly title: string;
  readonly panels: readonly PanelSource[];
}

const rows: readonly Row[] = [
  {
    title: 'Features',
    panels: [
      {
        title: 'Features by state',
        expr: 'count by (state) (max by (namespace, feature, state) (slipway_feature_state) == 1)',
        legend: '{{state}}',
      },
      {
        title: 'Blocked features',
        expr: 'max by (namespace, feature, reason) (slipway_feature_blocked) > 0',
        legend: '{{namespace}}/{{feature}}: {{reason}}',
        type: 'table',
      },
      {
        title: 'Silent processes',
        expr: 'max by (namespace, feature, component) (slipway_feature_uses{value="silent"}) > 0',
        legend: '{{feature}} {{component}}',
      },
      {
        title: 'Objects that use a feature which is off',
        expr: 'max by (namespace, feature) (slipway_feature_dangling_references)',
        legend: '{{namespace}}/{{feature}}',
      },
    ],
  },
  {
    title: 'Nodes',
    panels: [
      {
        title: 'CPU: size, requested and used',
        expr: 'sum by (__name__) ({__name__=~"slipway_node_(size|requested|usage)", resource="cpu"})',
        legend: '{{__name__}}',
      },
      {
        title: 'Memory: size, requested and used',
        expr: 'sum by (__name__) ({__name__=~"slipway_node_(size|requested|usage)", resource="memory"})',
        legend: '{{__name__}}',
        unit: 'bytes',
      },
      {
        title: 'Balloons that are allocated, in cores',
        expr: 'sum by (node) (slipway_node_balloon{state="allocated", resource="cpu"})',
        legend: '{{node}}',
      },
      {
        title: 'Resizes per minute by result',
        expr: 'sum by (direction, result) (rate(slipway_balloon_resizes_total[5m])) * 60',
        legend: '{{direction}} {{result}}',
      },
      {
        title: 'Duration of resizes, 99th percentile',
        expr: 'histogram_quantile(0.99, sum by (le, direction) (rate(slipway_balloon_resize_duration_seconds_bucket{phase="whole"}[5m])))',
        legend: '{{direction}}',
        unit: 's',
      },
      {
        title: 'Harm: pods lost because of a balloon',
        expr: 'sum(slipway_balloon_harm_total)',
        legend: 'pods',
        type: 'stat',
      },
    ],
  },
  {
    title: 'Image pulls',
    panels: [
      {
        title: 'Pulls that run and wait',
        expr: 'sum by (__name__) ({__name__=~"slipway_pulls_(running|waiting)"})',
        legend: '{{__name__}}',
      },
      {
        title: 'Wait for a slot, 99th percentile',
        expr: 'histogram_quantile(0.99, sum by (le) (rate(slipway_pulls_waited_seconds_bucket[5m])))',
        legend: 'p99',
        unit: 's',
      },
      {
        title: 'Pulls per minute by outcome',
        expr: 'sum by (outcome) (rate(slipway_pulls_ended_total[5m])) * 60',
        legend: '{{outcome}}',
      },
      {
        title: 'Nodes whose container runtime does not answer',
        expr: 'count(slipway_pulls_runtime_up == 0) or vector(0)',
        legend: 'nodes',
        type: 'stat',
      },
    ],
  },
];

/** The panels of the dashboard. */
export const panels: readonly PanelSource[] = rows.flatMap((row) => row.panels);

const columns = 2;
const [width, height] = [24 / columns, 8];

/** Returns the Grafana dashboard, which asks for its Prometheus data source when it is imported. */
export function dashboard() {
  let y = 0;
  let id = 0;
  const placed = rows.flatMap((row) => {
    const heading = {
      id: ++id,
      type: 'row',
      title: row.title,
      collapsed: false,
      gridPos: { x: 0, y: y++, w: 24, h: 1 },
    };
    const from = y;
    y += Math.ceil(row.panels.length / columns) * height;
    const inRow = row.panels.map((panel, index) => {
      const gridPos = {
        x: (index % columns) * width,
        y: from + Math.floor(index / columns) * height,
        w: width,
        h: height,
      };
      return { id: ++id, ...panelOf(panel), gridPos };
    });
    return [heading, ...inRow];
  });
  return {
    uid: 'slipway',
    title: 'Slipway',
    tags: ['kubernetes', 'slipway'],
    schemaVersion: 39,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    templating: { list: [{ name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' }] },
    panels: placed,
  };
}

function panelOf({ title, expr, legend, unit = 'short', type = 'timeseries' }: PanelSource) {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: Grafana puts the data source in
  const datasource = { type: 'prometheus', uid: '${datasource}' };
  const isTable = type === 'table';
  return {
    type,
    title,
    datasource,
    fieldConfig: { defaults: { unit }, overrides: [] },
    targets: [
      {
        refId: 'A',
        datasource,
        expr,
        legendFormat: legend,
        ...(isTable && { format: 'table', instant: true }),
      },
    ],
  };
}
