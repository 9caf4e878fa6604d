import type { HorizontalPodAutoscaler } from '@slipway/kube-objects/kinds/api/autoscalers';
import type { MetricStatusFields } from '@slipway/kube-objects/kinds/autoscaler';
import { type Demand, failureText } from './desired-replicas.js';
import { type Finding, limitPace, type Memory, remember } from './limit-pace.js';

/** What to do about one autoscaler, and what to tell of it. */
export interface AutoscalerPlan {
  /** Pods there shall be; undefined while the metrics cannot be relied on. */
  readonly replicas: number | undefined;
  /** Why that many, in the words of the event. */
  readonly reason: string;
  readonly findings: readonly (readonly [condition: string, finding: Finding])[];
  readonly metrics: readonly MetricStatusFields[] | null;
  readonly warnings: readonly { readonly reason: string; readonly message: string }[];
  readonly memory: Memory;
}

type Spec = HorizontalPodAutoscaler['spec'];

/** Whether metrics have a say: not when the target is switched off, nor before it is within its bounds. */
export function heedsMetrics({ minReplicas = 1, maxReplicas }: Spec, current: number): boolean {
  return current > 0 && current >= minReplicas && current <= maxReplicas;
}

/** Decides how many pods a target gets. `demand` is there exactly when metrics have a say. */
export function planAutoscaler(
  { spec, status }: HorizontalPodAutoscaler,
  current: number,
  demand: Demand | undefined,
  memory: Memory,
  nowMs: number,
): AutoscalerPlan {
  const { minReplicas: min = 1, maxReplicas: max, behavior } = spec;
  const plan = { findings: [], metrics: status?.currentMetrics ?? null, warnings: [], memory };
  if (!demand) {
    if (current === 0) return { ...plan, replicas: 0, reason: '', findings: [['ScalingActive', switchedOff]] };
    const side = current > max ? 'above Spec.MaxReplicas' : 'below Spec.MinReplicas';
    return { ...plan, replicas: current > max ? max : min, reason: `Current number of replicas ${side}` };
  }
  const { active, failures, refusal, replicas: desired } = demand;
  const found = {
    ...plan,
    metrics: demand.statuses.length > 0 ? demand.statuses : null,
    warnings: refusal ? [refusal] : failures.map(({ reason, message }) => ({ reason, message })),
  };
  if (desired === undefined) {
    const message = refusal?.message ?? failureText(failures, spec.metrics.length);
    const warnings = [...found.warnings, { reason: 'FailedComputeMetricsReplicas', message }];
    return { ...found, warnings, replicas: undefined, reason: '', findings: [['ScalingActive', active]] };
  }
  const { replicas, able, limited } = limitPace({ current, desired, min, max, behavior }, memory, nowMs);
  return {
    ...found,
    replicas,
    reason: replicas > current ? `${demand.name} above target` : 'All metrics below target',
    findings: [
      ['ScalingActive', active],
      ['AbleToScale', able],
      ['ScalingLimited', limited],
    ],
    memory: remember(memory, { desired }, nowMs),
  };
}

const switchedOff: Finding = {
  status: 'False',
  reason: 'ScalingDisabled',
  message: 'scaling is disabled since the replica count of the target is zero',
};
