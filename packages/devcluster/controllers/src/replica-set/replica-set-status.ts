import { timestamp } from '@slipway/kube';
import {
  availableAtMs,
  isActive,
  isAvailable,
  isFinished,
  isReady,
  isTerminating,
  type Pod,
} from '@slipway/kube-objects/kinds/api/pods';
import type { ReplicaSetStatus, Replicated, WorkloadCondition } from '@slipway/kube-objects/kinds/api/workloads';
import { positive } from '../workloads/positive.js';

/** Why pods could not be created or deleted, if so. */
export interface ReplicaFailure {
  readonly reason: 'FailedCreate' | 'FailedDelete';
  readonly message: string;
}

/**
 * Computes the status of a ReplicaSet or a ReplicationController.
 * @param countsTerminating whether it also says how many pods are about to go (KEP-3973)
 */
export function replicaSetStatus(
  set: Replicated,
  owned: readonly Pod[],
  failure: ReplicaFailure | undefined,
  nowMs: number,
  countsTerminating = false,
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
    ...(countsTerminating && { terminatingReplicas: owned.filter(isGoing).length }),
    observedGeneration: set.metadata.generation ?? 0,
    ...(conditions.length > 0 && { conditions }),
  };
}

/** Whether a pod still runs, but has been deleted. */
function isGoing(pod: Pod): boolean {
  return isTerminating(pod) && !isFinished(pod);
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

/** What was said first stays while it goes on failing: the next failure names another pod, and saying so would never end. */
function failureConditions(
  conditions: readonly WorkloadCondition[],
  failure: ReplicaFailure | undefined,
  nowMs: number,
): readonly WorkloadCondition[] {
  const isFailing = conditions.some(({ type }) => type === 'ReplicaFailure');
  if (!failure) return conditions.filter(({ type }) => type !== 'ReplicaFailure');
  if (isFailing) return conditions;
  return [...conditions, { type: 'ReplicaFailure', status: 'True', lastTransitionTime: timestamp(nowMs), ...failure }];
}
