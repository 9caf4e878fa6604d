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
  readonly annotations: { readonly summary: string; readonly runbook_url: string };
}

export interface RuleGroup {
  readonly name: string;
  readonly rules: readonly Rule[];
}

const runbooks = 'https://github.com/slipway-dev/slipway/blob/main/docs/operations/alerts';
const warning = alerting('warning');
const critical = alerting('critical');

/** Makes alerts of a severity, each with a page that is named after it. An alert holds `heldFor`, or at once. */
function alerting(severity: 'warning' | 'critical') {
  return (alert: string, expr: string, summary: string, heldFor?: string): AlertingRule => ({
    alert,
    expr,
    ...(heldFor !== undefined && { for: heldFor }),
    labels: { severity },
    annotations: { summary, runbook_url: `${runbooks}/${alert}.md` },
  });
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
  warning(
    'SlipwayOvercommit',
    'sum by (resource) (slipway:requested) > sum by (resource) (slipway:node_size) - max by (resource) (slipway:node_size)',
    'Pods request more {{ $labels.resource }} than is left if the largest node fails.',
    '10m',
  ),
  critical(
    'SlipwayHarm',
    'increase(slipway_balloon_harm_total[10m]) > 0',
    'A pod was {{ $labels.kind }} because a balloon grew. This must never happen: please report it.',
  ),
  warning(
    'SlipwayBalloonLost',
    'increase(slipway_balloon_lost_total[10m]) > 0',
    'A balloon pod was {{ $labels.cause }}: until the next one runs, its node offers what does not exist.',
  ),
  warning(
    'SlipwayExposed',
    'increase(slipway_balloon_exposed_seconds_total[5m]) > 30',
    'Pods may use more of {{ $labels.node }} than its actuator says exists.',
  ),
];

/** Every feature server exports all features, so that one of them is enough, and none is counted twice. */
const featureAlerts: readonly Rule[] = [
  warning(
    'SlipwayFeatureBlocked',
    'max by (namespace, feature, reason) (slipway_feature_blocked) > 0',
    'Feature {{ $labels.feature }} in {{ $labels.namespace }} waits for a person: {{ $labels.reason }}.',
    '30m',
  ),
  warning(
    'SlipwayFeatureSilent',
    'max by (namespace, feature, component) (slipway_feature_uses{value="silent"}) > 0',
    'Processes of {{ $labels.component }} do not report whether they run {{ $labels.feature }}.',
    '30m',
  ),
  warning(
    'SlipwayFeatureLeftovers',
    'max by (namespace, feature) (slipway_feature_dangling_references) > 0 and on (namespace, feature) max by (namespace, feature) (slipway_feature_state{state="Off"}) > 0',
    'Objects use {{ $labels.feature }} in {{ $labels.namespace }}, which is off.',
    '30m',
  ),
  warning(
    'SlipwayFeatureServerAway',
    'absent(slipway_feature_servers > 0)',
    'No feature server reports: features cannot be turned on or off.',
    '15m',
  ),
];

const pullAlerts: readonly Rule[] = [
  critical(
    'SlipwayPullsRuntimeAway',
    'min by (instance) (slipway_pulls_runtime_up) < 1',
    'The container runtime behind the pull limiter at {{ $labels.instance }} does not answer.',
    '5m',
  ),
  warning(
    'SlipwayPullsStalled',
    'max by (instance) (slipway_pulls_stalled) > 0',
    'Image pulls at {{ $labels.instance }} receive no data and hold their slots.',
    '10m',
  ),
  warning(
    'SlipwayPullsQueued',
    'max by (instance) (slipway_pulls_oldest_waiting_seconds) > 600',
    'An image pull at {{ $labels.instance }} has waited more than ten minutes for a slot.',
    '5m',
  ),
];

/** The Prometheus rules of Slipway. */
export const ruleGroups: readonly RuleGroup[] = [
  { name: 'slipway-nodes', rules: nodes },
  { name: 'slipway-node-alerts', rules: nodeAlerts },
  { name: 'slipway-feature-alerts', rules: featureAlerts },
  { name: 'slipway-pull-alerts', rules: pullAlerts },
];
