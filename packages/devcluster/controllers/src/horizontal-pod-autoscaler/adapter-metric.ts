import { formatQuantity, milliQuantity } from '@slipway/kube';
import { isReady, type Pod } from '@slipway/kube-objects/kinds/api/pods';
import type { MetricFields, MetricNameFields, MetricStatusFields } from '@slipway/kube-objects/kinds/autoscaler';
import type { Fetched, FetchedValue } from './fetch-metrics.js';
import { printedSelector } from './printed-selector.js';
import { isWithin, MetricError, proposeReplicas, type Tolerance } from './propose-replicas.js';
import { milliOf, samplePods } from './sample-pods.js';

/** The target of an autoscaler, as far as such metrics go. */
export interface AdapterTarget {
  readonly current: number;
  /** Pods that there are, which may not be as many as are desired. */
  readonly statusReplicas: number;
  readonly pods: readonly Pod[];
  readonly tolerance: Tolerance;
  readonly nowMs: number;
}

/** What a metric of an adapter calls for: its pods, and the metric in the words of events and of the status. */
export interface AdapterAnswer {
  readonly replicas: number;
  readonly name: string;
  readonly status: MetricStatusFields;
}

/**
 * Computes how many pods a metric of type External, Object or Pods calls for.
 * @throws MetricError when the adapter does not have it, or the metric has no target
 */
export function adapterMetric(metric: MetricFields, fetched: Fetched, target: AdapterTarget): AdapterAnswer {
  if (metric.type === 'Pods') return ofPods(metric, fetched, target);
  const isExternal = metric.type === 'External';
  const source = (isExternal ? metric.external : metric.object) ?? {};
  const { name = '', selector } = source.metric ?? {};
  const { value, averageValue } = source.target ?? {};
  const described = metric.object?.describedObject ?? {};
  if (fetched.problem !== undefined) throw new MetricError(fetched.problem);
  const total = totalOf(fetched.values);
  const statusWith = (current: object): MetricStatusFields => ({
    type: metric.type ?? '',
    [isExternal ? 'external' : 'object']: {
      ...(isExternal ? {} : { describedObject: described }),
      metric: identifier(source.metric),
      current,
    },
  });
  const answerOf = (replicas: number, current: object, words: string) => ({
    replicas,
    name: words,
    status: statusWith(current),
  });
  const external = `external metric ${name}(${printedSelector(selector)})`;
  if (averageValue !== undefined) {
    const { statusReplicas } = target;
    const wanted = milliOf(averageValue);
    const isClose = isWithin(total / (wanted * statusReplicas), target.tolerance);
    const current = { averageValue: text(Math.ceil(total / statusReplicas)) };
    return answerOf(isClose ? statusReplicas : Math.ceil(total / wanted), current, external);
  }
  if (value === undefined) {
    const kind = isExternal ? 'external' : 'object';
    throw new MetricError(`invalid ${kind} metric source: neither a value target nor an average value target was set`);
  }
  const ratio = total / milliOf(value);
  const ready = target.pods.filter((pod) => pod.status?.phase === 'Running' && isReady(pod)).length;
  const replicas = isWithin(ratio, target.tolerance) ? target.current : Math.ceil(ratio * ready);
  return answerOf(replicas, { value: text(total) }, isExternal ? external : `${described.kind} metric ${name}`);
}

function ofPods({ pods: source = {} }: MetricFields, fetched: Fetched, target: AdapterTarget): AdapterAnswer {
  const { name = '' } = source.metric ?? {};
  if (fetched.problem !== undefined) throw new MetricError(fetched.problem);
  const measured = fetched.values.map(({ of, milli: amount }) => ({
    apiVersion: 'metrics.k8s.io/v1beta1',
    kind: 'PodMetrics',
    metadata: { name: of },
    timestamp: '',
    window: '',
    containers: [{ name: '', usage: { [name]: text(amount) } }],
  }));
  const wanted = { averageMilli: milliOf(source.target?.averageValue ?? '0') };
  const samples = samplePods(target.pods, measured, { resource: name, needsRequests: false }, target.nowMs);
  const { replicas, averageMilli } = proposeReplicas(target.current, samples, wanted, target.tolerance);
  const current = { averageValue: text(averageMilli) };
  const status = { type: 'Pods', pods: { metric: identifier(source.metric), current } };
  return { replicas, name: `pods metric ${name}`, status };
}

function totalOf(values: readonly FetchedValue[]): number {
  return values.reduce((sum, one) => sum + one.milli, 0);
}

function identifier({ name, selector }: MetricNameFields = {}): MetricNameFields {
  return { ...(name !== undefined && { name }), ...(selector && { selector }) };
}

function text(amount: number): string {
  return formatQuantity(milliQuantity(amount));
}
