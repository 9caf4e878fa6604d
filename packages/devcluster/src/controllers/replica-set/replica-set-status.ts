import { timestamp } from '@slipway/kube';
import { availableAtMs, isActive, isAvailable, isReady, type Pod } from '../api/pods.js';
import type { ReplicaSet, ReplicaSetStatus, WorkloadCondition } from '../api/workloads.js';

/** Why pods could not be created or deleted, if so. */
export interface ReplicaFailure {
  readonly reason: 'FailedCreate' | 'FailedDelete';
  readonly message: string;
}

/** What a ReplicaSet says of its pods. */
export function replicaSetStatus(
  set: ReplicaSet,
  owned: readonly Pod[],
  failure: ReplicaFailure | undefined,
  nowMs: number,
): ReplicaSetStatus {
  const active = owned.filter(isActive);
  const minReadySeconds = set.spec.minReadySeconds ?? 0;
  const labels = Object.entries(set.spec.template.metadata?.labels ?? {});
  const fullyLabeled = active.filter((pod) => labels.every(([key, value]) => pod.metadata.labels?.[key] === value));
  const ready = active.filter(isReady);
  const available = minReadySeconds === 0 ? ready : ready.filter((pod) => isAvailable(pod, minReadySeconds, nowMs));
  const conditions = failureConditions(set.status?.conditions ?? [], failure, nowMs);
  return {
    replicas: active.length,
    ...positive('fullyLabeledReplicas', fullyLabeled.length),
    ...positive('readyReplicas', ready.length),
    ...positive('availableReplicas', available.length),
    observedGeneration: set.metadata.generation ?? 0,
    ...(conditions.length > 0 && { conditions }),
  };
}

/** Milliseconds until the next ready pod becomes available just because time passes. */
export function nextAvailableInMs(owned: readonly Pod[], minReadySeconds: number, nowMs: number): number | undefined {
  if (minReadySeconds === 0) return undefined;
  const waits = owned
    .filter(isActive)
    .map((pod) => (availableAtMs(pod, minReadySeconds) ?? 0) - nowMs)
    .filter((waitMs) => waitMs > 0);
  return waits.length > 0 ? Math.min(...waits) : undefined;
}

/** Counts of zero are left out of a status, as the API has it. */
function positive<K extends string>(name: K, count: number): { [P in K]?: number } {
  return count > 0 ? ({ [name]: count } as { [P in K]: number }) : {};
}

function failureConditions(
  conditions: readonly WorkloadCondition[],
  failure: ReplicaFailure | undefined,
  nowMs: number,
): readonly WorkloadCondition[] {
  const others = conditions.filter((condition) => condition.type !== 'ReplicaFailure');
  if (!failure) return others;
  const before = conditions.find((condition) => condition.type === 'ReplicaFailure');
  const lastTransitionTime = before?.lastTransitionTime ?? timestamp(nowMs);
  return [...others, { type: 'ReplicaFailure', status: 'True', lastTransitionTime, ...failure }];
}
