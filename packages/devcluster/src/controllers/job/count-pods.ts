import type { JobStatus } from '../api/jobs.js';
import { isFinished, isReady, isTerminating, type Pod } from '../api/pods.js';

/** Keeps a pod from going before its end was counted. */
export const tracking = 'batch.kubernetes.io/job-tracking';

/** What became of the pods of a job. */
export interface Counts {
  readonly succeeded: number;
  readonly failed: number;
  /** Pods that run or will. */
  readonly active: readonly Pod[];
  readonly ready: number;
  readonly terminating: number;
  /** Ended and written down as such, but not in `succeeded` and `failed` of the status yet. */
  readonly uncounted: { readonly succeeded: readonly string[]; readonly failed: readonly string[] };
  /** What the status counts after this look. */
  readonly counted: { readonly succeeded: number; readonly failed: number };
}

/**
 * Counts every pod once, however often this runs and whenever it is interrupted. A pod that ended is
 * first written down by UID, then loses its finalizer, and only when that is seen does its UID become a
 * number: whoever comes in between finds out how far it got.
 */
export function countPods(status: JobStatus | undefined, pods: readonly Pod[]): Counts {
  const tracked = pods.filter(isTracked);
  const held = new Set(tracked.map(({ metadata }) => metadata.uid ?? ''));
  const before = {
    succeeded: status?.uncountedTerminatedPods?.succeeded ?? [],
    failed: status?.uncountedTerminatedPods?.failed ?? [],
  };
  const known = new Set([...before.succeeded, ...before.failed]);
  const fresh = tracked.filter((pod) => hasEnded(pod) && !known.has(pod.metadata.uid ?? ''));
  const uidsOf = (ended: readonly Pod[]) => ended.map(({ metadata }) => metadata.uid ?? '');
  const uncounted = {
    succeeded: [...before.succeeded.filter((uid) => held.has(uid)), ...uidsOf(fresh.filter(hasSucceeded))],
    failed: [...before.failed.filter((uid) => held.has(uid)), ...uidsOf(fresh.filter((pod) => !hasSucceeded(pod)))],
  };
  const released = (uids: readonly string[]) => uids.filter((uid) => !held.has(uid)).length;
  const counted = {
    succeeded: (status?.succeeded ?? 0) + released(before.succeeded),
    failed: (status?.failed ?? 0) + released(before.failed),
  };
  const active = pods.filter((pod) => !hasEnded(pod));
  return {
    succeeded: counted.succeeded + uncounted.succeeded.length,
    failed: counted.failed + uncounted.failed.length,
    active,
    ready: active.filter(isReady).length,
    terminating: pods.filter((pod) => isTerminating(pod) && !isFinished(pod)).length,
    uncounted,
    counted,
  };
}

/** Whether the end of a pod is still to be counted. */
export function isTracked({ metadata }: Pod): boolean {
  return metadata.finalizers?.includes(tracking) ?? false;
}

/** A pod that is being deleted will not do its work any more: as good as failed. */
function hasEnded(pod: Pod): boolean {
  return isFinished(pod) || isTerminating(pod);
}

function hasSucceeded({ status }: Pod): boolean {
  return status?.phase === 'Succeeded';
}
