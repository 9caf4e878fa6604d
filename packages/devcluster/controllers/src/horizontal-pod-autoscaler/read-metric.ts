import { formatQuantity, milliQuantity } from '@slipway/kube';
import type { PodMetrics } from '@slipway/kube-objects/kinds/api/autoscalers';
import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import type { MetricFields, MetricStatusFields, MetricTargetFields } from '@slipway/kube-objects/kinds/autoscaler';
import { adapterMetric } from './adapter-metric.js';
import type { Fetched } from './fetch-metrics.js';
import { MetricError, type Proposal, proposeReplicas, type Tolerance } from './propose-replicas.js';
import { milliOf, samplePods } from './sample-pods.js';

/** The target of an autoscaler as it is found. */
export interface Observed {
  readonly current: number;
  readonly pods: readonly Pod[];
  readonly metrics: readonly PodMetrics[];
  readonly tolerance: Tolerance;
  readonly nowMs: number;
  /** Pods that there are, as the scale says. */
  readonly statusReplicas: number;
  /** What adapters said of the metrics that are theirs. */
  readonly fetched: ReadonlyMap<MetricFields, Fetched>;
}

/** What one metric calls for. */
export interface MetricAnswer {
  readonly replicas: number;
  /** The metric in the words of events. */
  readonly name: string;
  readonly status: MetricStatusFields;
}

/** Why a metric calls for nothing. */
export class MetricUnavailableError extends Error {
  override readonly name = 'MetricUnavailableError';
  /** Of the condition and the event: `FailedGetResourceMetric`. */
  readonly reason: string;
  /** The same, said of the metric: what is told when several metrics are at it. */
  readonly inList: string;

  constructor(reason: string, message: string, inList: string) {
    super(message);
    this.reason = reason;
    this.inList = inList;
  }
}

/**
 * Computes how many pods one metric of an autoscaler calls for.
 * @throws MetricUnavailableError
 */
export function readMetric(metric: MetricFields, observed: Observed): MetricAnswer {
  switch (metric.type) {
    case 'Resource':
      return readResource(metric.resource ?? {}, undefined, observed);
    case 'ContainerResource':
      return readResource(metric.containerResource ?? {}, metric.containerResource?.container, observed);
    case 'Pods':
    case 'Object':
    case 'External':
      return readFromAdapter(metric, metric.type, observed);
    default:
      throw new MetricUnavailableError(
        'InvalidMetricSourceType',
        `unknown metric source type ${JSON.stringify(metric.type)}`,
        `unknown metric source type ${JSON.stringify(metric.type)}`,
      );
  }
}

function readResource(
  { name = '', target = {} }: { readonly name?: string; readonly target?: MetricTargetFields },
  container: string | undefined,
  { current, pods, metrics, tolerance, nowMs }: Observed,
): MetricAnswer {
  const { averageUtilization: utilization, averageValue } = target;
  const kind = container === undefined ? 'resource' : 'container resource';
  const wanted = utilization === undefined ? { averageMilli: milliOf(averageValue ?? '0') } : { utilization };
  try {
    const measured = { resource: name, container, needsRequests: utilization !== undefined };
    const proposal = proposeReplicas(current, samplePods(pods, metrics, measured, nowMs), wanted, tolerance);
    return {
      replicas: proposal.replicas,
      name: `${name} ${kind}${utilization === undefined ? '' : ' utilization (percentage of request)'}`,
      status: statusOf(name, container, proposal),
    };
  } catch (error) {
    if (!(error instanceof MetricError)) throw error;
    const what = utilization === undefined ? 'usage' : 'utilization';
    const message = `failed to get ${name} ${what}: ${error.message}`;
    throw new MetricUnavailableError(
      container === undefined ? 'FailedGetResourceMetric' : 'FailedGetContainerResourceMetric',
      message,
      `failed to get ${name} ${kind} metric value: ${message}`,
    );
  }
}

function statusOf(
  name: string,
  container: string | undefined,
  { averageMilli, utilization }: Proposal,
): MetricStatusFields {
  const current = {
    averageValue: formatQuantity(milliQuantity(averageMilli)),
    ...(utilization !== undefined && { averageUtilization: utilization }),
  };
  return container === undefined
    ? { type: 'Resource', resource: { name, current } }
    : { type: 'ContainerResource', containerResource: { name, container, current } };
}

/** Reads a metric that an adapter has. The errors are worded as in Kubernetes. */
function readFromAdapter(metric: MetricFields, type: 'Pods' | 'Object' | 'External', observed: Observed): MetricAnswer {
  const fetched = observed.fetched.get(metric) ?? { problem: 'not asked for' };
  try {
    return adapterMetric(metric, fetched, observed);
  } catch (error) {
    if (!(error instanceof MetricError)) throw error;
    const words = type === 'External' ? `${metric.external?.metric?.name} external` : type.toLowerCase();
    const { message } = error;
    throw new MetricUnavailableError(
      `FailedGet${type}Metric`,
      message,
      `failed to get ${words} metric value: ${message}`,
    );
  }
}
