/** A Prometheus rule that records a series, or one that alerts. */
export type Rule = RecordingRule | AlertingRule;

interface RecordingRule {
  readonly record: string;
  readonly expr: string;
}

interface AlertingRule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: 'warning' | 'critical' };
  /** `runbook_url` is added to all of them. */
  readonly annotations: { readonly summary: string; readonly runbook_url?: string };
}

export interface RuleGroup {
  readonly name: string;
  readonly rules: readonly Rule[];
}

const requests = 'kube_pod_container_resource_requests';
const allocatable = 'sum by (node, resource) (kube_node_status_allocatable{resource=~"cpu|memory"})';

/**
 * Keeps what does not exist, the balloon, apart from what is in use. The first four need kube-state-metrics only;
 * slipway:node_used needs the metrics of the balloon controller.
 */
const nodes: readonly Rule[] = [
  {
    record: 'slipway:balloon',
    expr: `sum by (node, resource) (${requests}{container="slipway-balloon", resource=~"cpu|memory", node!=""})`,
  },
  {
    record: 'slipway:node_size',
    expr: `${allocatable} - (slipway:balloon or 0 * ${allocatable})`,
  },
  {
    record: 'slipway:requested',
    expr: `sum by (node, resource) (${requests}{container!="slipway-balloon", resource=~"cpu|memory", node!=""})`,
  },
  {
    record: 'slipway:cluster_utilisation',
    expr: 'sum by (resource) (slipway:requested) / sum by (resource) (slipway:node_size)',
  },
  {
    record: 'slipway:node_used',
    expr: 'sum by (node, resource) (slipway_node_usage) / sum by (node, resource) (slipway_node_size)',
  },
];

/** SlipwayOvercommit replaces the overcommit alerts of kubernetes-mixin, which take a balloon for demand. */
const nodeAlerts: readonly Rule[] = [
  {
    alert: 'SlipwayOvercommit',
    expr: 'sum by (resource) (slipway:requested) > sum by (resource) (slipway:node_size) - max by (resource) (slipway:node_size)',
    for: '10m',
    labels: { severity: 'warning' },
    annotations: { summary: 'Pods request more {{ $labels.resource }} than is left if the largest node fails.' },
  },
  {
    alert: 'SlipwayHarm',
    expr: 'increase(slipway_balloon_harm_total[10m]) > 0',
    labels: { severity: 'critical' },
    annotations: {
      summary: 'A pod was {{ $labels.kind }} because a balloon grew. This must never happen: please report it.',
    },
  },
  {
    alert: 'SlipwayBalloonLost',
    expr: 'increase(slipway_balloon_lost_total[10m]) > 0',
    labels: { severity: 'warning' },
    annotations: {
      summary: 'A balloon pod was {{ $labels.cause }}: until the next one runs, its node offers what does not exist.',
    },
  },
  {
    alert: 'SlipwayExposed',
    expr: 'increase(slipway_balloon_exposed_seconds_total[5m]) > 30',
    labels: { severity: 'warning' },
    annotations: { summary: 'Pods may use more of {{ $labels.node }} than its actuator says exists.' },
  },
];

/** Every feature server exports all features, so that one of them is enough, and none is counted twice. */
const featureAlerts: readonly Rule[] = [
  {
    alert: 'SlipwayFeatureBlocked',
    expr: 'max by (namespace, feature, reason) (slipway_feature_blocked) > 0',
    for: '30m',
    labels: { severity: 'warning' },
    annotations: {
      summary: 'Feature {{ $labels.feature }} in {{ $labels.namespace }} waits for a person: {{ $labels.reason }}.',
    },
  },
  {
    alert: 'SlipwayFeatureSilent',
    expr: 'max by (namespace, feature, component) (slipway_feature_uses{value="silent"}) > 0',
    for: '30m',
    labels: { severity: 'warning' },
    annotations: {
      summary: 'Processes of {{ $labels.component }} do not report whether they run {{ $labels.feature }}.',
    },
  },
  {
    alert: 'SlipwayFeatureLeftovers',
    expr: 'max by (namespace, feature) (slipway_feature_dangling_references) > 0 and on (namespace, feature) max by (namespace, feature) (slipway_feature_state{state="Off"}) > 0',
    for: '30m',
    labels: { severity: 'warning' },
    annotations: { summary: 'Objects use {{ $labels.feature }} in {{ $labels.namespace }}, which is off.' },
  },
  {
    alert: 'SlipwayFeatureServerAway',
    expr: 'absent(slipway_feature_servers > 0)',
    for: '15m',
    labels: { severity: 'warning' },
    annotations: { summary: 'No feature server reports: features cannot be turned on or off.' },
  },
];

const pullAlerts: readonly Rule[] = [
  {
    alert: 'SlipwayPullsRuntimeAway',
    expr: 'min by (instance) (slipway_pulls_runtime_up) < 1',
    for: '5m',
    labels: { severity: 'critical' },
    annotations: {
      summary: 'The container runtime behind the pull limiter at {{ $labels.instance }} does not answer.',
    },
  },
  {
    alert: 'SlipwayPullsStalled',
    expr: 'max by (instance) (slipway_pulls_stalled) > 0',
    for: '10m',
    labels: { severity: 'warning' },
    annotations: { summary: 'Image pulls at {{ $labels.instance }} receive no data and hold their slots.' },
  },
  {
    alert: 'SlipwayPullsQueued',
    expr: 'max by (instance) (slipway_pulls_oldest_waiting_seconds) > 600',
    for: '5m',
    labels: { severity: 'warning' },
    annotations: { summary: 'An image pull at {{ $labels.instance }} has waited more than ten minutes for a slot.' },
  },
];

/** Each alert has a page there that is named after it. */
const runbooks = 'https://github.com/slipway-dev/slipway/blob/main/docs/operations/alerts';

function withRunbook(rule: Rule): Rule {
  if (!('alert' in rule)) return rule;
  return { ...rule, annotations: { ...rule.annotations, runbook_url: `${runbooks}/${rule.alert}.md` } };
}

/** The Prometheus rules of Slipway. */
export const ruleGroups: readonly RuleGroup[] = [
  { name: 'slipway-nodes', rules: nodes },
  { name: 'slipway-node-alerts', rules: nodeAlerts.map(withRunbook) },
  { name: 'slipway-feature-alerts', rules: featureAlerts.map(withRunbook) },
  { name: 'slipway-pull-alerts', rules: pullAlerts.map(withRunbook) },
];
