import { milli, parseQuantity } from '@slipway/kube';
import type { PodMetrics } from '@slipway/kube-objects/kinds/api/autoscalers';
import { isTerminating, type Pod } from '@slipway/kube-objects/kinds/api/pods';
import { MetricError, type PodSample, type PodState } from './propose-replicas.js';

/** For so long after its start a pod's cpu counts only once it is ready. */
const cpuInitializationMs = 300_000;
/** A pod that became unready so soon after its start never was ready. */
const initialReadinessMs = 30_000;

/** What is measured: a resource of whole pods, or of one of their containers. */
export interface Measured {
  readonly resource: string;
  readonly container?: string | undefined;
  /** Utilization is a share of requests, which all pods must have then. */
  readonly needsRequests: boolean;
}

/**
 * Puts pods and what was measured of them together.
 * @throws MetricError when there is nothing to put together, or a pod does not say what it asks for
 */
export function samplePods(
  pods: readonly Pod[],
  metrics: readonly PodMetrics[],
  { resource, container, needsRequests }: Measured,
  nowMs: number,
): readonly PodSample[] {
  if (metrics.length === 0) {
    throw new MetricError(
      `unable to get metrics for resource ${resource}: no metrics returned from resource metrics API`,
    );
  }
  if (pods.length === 0) throw new MetricError('no pods returned by selector while calculating replica count');
  const byName = new Map(metrics.map((one) => [one.metadata.name, one]));
  return pods.map((pod) => {
    const own = byName.get(pod.metadata.name);
    const usageMilli = own && usageOf(own, resource, container);
    const state = stateOf(pod, own, resource, nowMs);
    const requestMilli = needsRequests && state !== 'ignored' ? requestOf(pod, resource, container) : undefined;
    return {
      state,
      ...(usageMilli !== undefined && { usageMilli }),
      ...(requestMilli !== undefined && { requestMilli }),
    };
  });
}

function usageOf({ containers }: PodMetrics, resource: string, container: string | undefined): number | undefined {
  const counted = containers.filter(({ name }) => container === undefined || name === container);
  const amounts = counted.map(({ usage }) => usage[resource]);
  if (counted.length === 0 || amounts.includes(undefined)) return undefined;
  return amounts.reduce((sum, amount) => sum + milliOf(amount ?? '0'), 0);
}

function requestOf({ metadata, spec }: Pod, resource: string, container: string | undefined): number {
  // A sidecar asks for as long as the containers beside it.
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  const counted = [...spec.containers, ...sidecars].filter(({ name }) => container === undefined || name === container);
  return counted.reduce((sum, { name, resources }) => {
    const amount = resources?.requests?.[resource];
    if (amount === undefined) {
      throw new MetricError(`missing request for ${resource} in container ${name} of Pod ${metadata.name}`);
    }
    return sum + milliOf(amount);
  }, 0);
}

function stateOf(pod: Pod, metrics: PodMetrics | undefined, resource: string, nowMs: number): PodState {
  const { phase, startTime, conditions = [] } = pod.status ?? {};
  if (isTerminating(pod) || phase === 'Failed') return 'ignored';
  if (phase === 'Pending') return 'unready';
  // Without a measurement it is missing, ready or not.
  if (!metrics || resource !== 'cpu') return 'counted';
  const ready = conditions.find(({ type }) => type === 'Ready');
  if (!ready || !startTime) return 'unready';
  const startedMs = Date.parse(startTime);
  const changedMs = Date.parse(ready.lastTransitionTime ?? startTime);
  const isUnready = ready.status === 'False';
  if (startedMs + cpuInitializationMs > nowMs) {
    const isTooNew = Date.parse(metrics.timestamp) < changedMs + windowMs(metrics);
    return isUnready || isTooNew ? 'unready' : 'counted';
  }
  return isUnready && startedMs + initialReadinessMs > changedMs ? 'unready' : 'counted';
}

/** Such as `10s`. */
function windowMs({ window }: PodMetrics): number {
  return Number.parseFloat(window) * 1000;
}

/** An amount in thousandths. @throws QuantityError */
export function milliOf(amount: string): number {
  return Number(milli(parseQuantity(amount)));
}
