import { isAvailable, isReady, isTerminating, type Pod } from '@slipway/kube-objects/kinds/api/pods';
import type { StatefulSet, StatefulSetStatus } from '@slipway/kube-objects/kinds/api/workloads';
import { revisionOfPod } from './identity.js';

/** The revisions of a set and how many names were taken already when they were made. */
export interface RevisionNames {
  readonly current: string;
  readonly update: string;
  readonly collisionCount: number;
}

/**
 * Computes the status of a StatefulSet. When an update has reached every pod, the updated revision becomes the current one.
 * @param completesOnDelete whether that also holds for the strategy OnDelete, as since 1.37
 */
export function statefulSetStatus(
  set: StatefulSet,
  pods: readonly Pod[],
  revisions: RevisionNames,
  nowMs: number,
  completesOnDelete = true,
): StatefulSetStatus {
  const minReadySeconds = set.spec.minReadySeconds ?? 0;
  const ready = pods.filter((pod) => pod.status?.phase === 'Running' && isReady(pod));
  const staying = pods.filter((pod) => !isTerminating(pod));
  const of = (revision: string) => staying.filter((pod) => revisionOfPod(pod) === revision).length;
  const status = {
    observedGeneration: set.metadata.generation ?? 0,
    replicas: pods.length,
    readyReplicas: ready.length,
    availableReplicas: ready.filter((pod) => isAvailable(pod, minReadySeconds, nowMs)).length,
    currentReplicas: of(revisions.current),
    updatedReplicas: of(revisions.update),
    currentRevision: revisions.current,
    updateRevision: revisions.update,
    collisionCount: revisions.collisionCount,
    ...(set.status?.conditions && { conditions: set.status.conditions }),
  };
  const { replicas } = set.spec;
  const isUpdated = status.updatedReplicas === replicas && status.readyReplicas === replicas;
  const completes = completesOnDelete || set.spec.updateStrategy?.type !== 'OnDelete';
  return completes && isUpdated && status.replicas === replicas
    ? { ...status, currentReplicas: status.updatedReplicas, currentRevision: revisions.update }
    : status;
}
