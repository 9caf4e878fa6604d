/** One pod of the target, as far as a metric goes. */
export interface PodSample {
  readonly state: PodState;
  /** What it uses, in thousandths; absent when the metrics do not have it. */
  readonly usageMilli?: number;
  /** What it asks for, in thousandths: what utilization is measured against. */
  readonly requestMilli?: number;
}

/** `ignored`: going or failed; `unready`: what it uses now says nothing yet; `counted`: all others. */
export type PodState = 'ignored' | 'unready' | 'counted';

/** What a metric shall be: a percentage of requests, or an amount per pod in thousandths. */
export type Target = { readonly utilization: number } | { readonly averageMilli: number };

/** How far a ratio may be from 1 before anything happens. */
export interface Tolerance {
  readonly up: number;
  readonly down: number;
}

/** How many pods a metric calls for, and what it is now. */
export interface Proposal {
  readonly replicas: number;
  readonly averageMilli: number;
  /** Percent of requests; absent for a target that is an amount. */
  readonly utilization?: number;
}

/** A metric that says nothing. */
export class MetricError extends Error {
  override readonly name = 'MetricError';
}

/**
 * Computes how many pods bring a metric to its target: the current number times the ratio of current to target use.
 * Pods that were not measured or have only just started count in the way that changes least: as idle when scaling up;
 * at their target, or at all they request, when scaling down.
 * @see https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/#algorithm-details
 * @throws MetricError when no pod was measured
 */
export function proposeReplicas(
  current: number,
  samples: readonly PodSample[],
  target: Target,
  tolerance: Tolerance,
): Proposal {
  const measured = samples.filter(({ state, usageMilli }) => state === 'counted' && usageMilli !== undefined);
  const missing = samples.filter(({ state, usageMilli }) => state === 'counted' && usageMilli === undefined);
  const unready = samples.filter(({ state }) => state === 'unready');
  if (measured.length === 0) throw new MetricError('did not receive metrics for targeted pods (pods might be unready)');
  const first = ratioOf(measured, target);
  const found = {
    averageMilli: Math.trunc(totalOf(measured, ({ usageMilli }) => usageMilli) / measured.length),
    ...(first.utilization !== undefined && { utilization: first.utilization }),
  };
  const answer = (replicas: number): Proposal => ({ replicas, ...found });

  const growsBeyondUnready = unready.length > 0 && first.ratio > 1;
  if (!growsBeyondUnready && missing.length === 0) {
    return answer(isWithin(first.ratio, tolerance) ? current : Math.ceil(first.ratio * measured.length));
  }
  const assumed = [
    ...measured,
    ...(first.ratio < 1 ? missing.map((sample) => ({ ...sample, usageMilli: cautiousUsage(sample, target) })) : []),
    ...(first.ratio > 1 ? missing.map((sample) => ({ ...sample, usageMilli: 0 })) : []),
    ...(growsBeyondUnready ? unready.map((sample) => ({ ...sample, usageMilli: 0 })) : []),
  ];
  const { ratio } = ratioOf(assumed, target);
  const turned = (first.ratio < 1 && ratio > 1) || (first.ratio > 1 && ratio < 1);
  if (isWithin(ratio, tolerance) || turned) return answer(current);
  const replicas = Math.ceil(ratio * assumed.length);
  const isAgainst = (ratio < 1 && replicas > current) || (ratio > 1 && replicas < current);
  return answer(isAgainst ? current : replicas);
}

/** What is assumed of a pod that was not measured while fewer pods seem enough. */
function cautiousUsage({ requestMilli = 0 }: PodSample, target: Target): number {
  return 'averageMilli' in target
    ? target.averageMilli
    : Math.trunc((requestMilli * Math.max(100, target.utilization)) / 100);
}

function ratioOf(samples: readonly PodSample[], target: Target): { ratio: number; utilization?: number } {
  const used = totalOf(samples, ({ usageMilli }) => usageMilli);
  if ('averageMilli' in target) return { ratio: Math.trunc(used / samples.length) / target.averageMilli };
  const requested = totalOf(samples, ({ requestMilli }) => requestMilli);
  if (requested === 0) throw new MetricError('no metrics returned matched known pods');
  const utilization = Math.trunc((used * 100) / requested);
  return { ratio: utilization / target.utilization, utilization };
}

function totalOf(samples: readonly PodSample[], amount: (sample: PodSample) => number | undefined): number {
  return samples.reduce((sum, sample) => sum + (amount(sample) ?? 0), 0);
}

/** Whether a ratio of current to desired use is close enough to 1. */
export function isWithin(ratio: number, { up, down }: Tolerance): boolean {
  return ratio >= 1 - down && ratio <= 1 + up;
}
