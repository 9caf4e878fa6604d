import type { MetricFields, MetricStatusFields } from '@slipway/kube-objects/kinds/autoscaler';
import type { Finding } from './limit-pace.js';
import { MetricUnavailableError, type Observed, readMetric } from './read-metric.js';

/** What the metrics of an autoscaler call for together. */
export interface Demand {
  /** Undefined when they cannot be relied on. */
  readonly replicas?: number;
  /** The metric that calls for the most. */
  readonly name: string;
  readonly statuses: readonly MetricStatusFields[];
  /** Of `ScalingActive`. */
  readonly active: Finding;
  /** Metrics that say nothing, each with a reason. */
  readonly failures: readonly MetricUnavailableError[];
  /** Why metrics were not asked at all. */
  readonly refusal?: { readonly reason: string; readonly message: string };
}

/**
 * The most that any metric calls for. When one says nothing the others still count, but only to grow: what is not
 * known might be what keeps pods busy.
 */
export function desiredReplicas(metrics: readonly MetricFields[], observed: Observed): Demand {
  const failures: MetricUnavailableError[] = [];
  const answers = metrics.flatMap((metric) => {
    try {
      return [readMetric(metric, observed)];
    } catch (error) {
      if (!(error instanceof MetricUnavailableError)) throw error;
      failures.push(error);
      return [];
    }
  });
  const [most] = [...answers].sort((a, b) => b.replicas - a.replicas);
  const statuses = answers.map(({ status }) => status);
  const [failure] = failures;
  if (!most || (failure && most.replicas < observed.current)) {
    const message = `the HPA was unable to compute the replica count: ${failure?.message}`;
    const reason = failure?.reason ?? 'InvalidMetricSourceType';
    return { name: '', statuses, failures, active: { status: 'False', reason, message } };
  }
  const message = `the HPA was able to successfully calculate a replica count from ${most.name}`;
  const active = { status: 'True', reason: 'ValidMetricFound', message } as const;
  return { replicas: most.replicas, name: most.name, statuses, failures, active };
}

/** Describes the metrics that could not be read. */
export function failureText(failures: readonly MetricUnavailableError[], all: number): string {
  return `invalid metrics (${failures.length} invalid out of ${all}), first error is: ${failures[0]?.inList}`;
}
