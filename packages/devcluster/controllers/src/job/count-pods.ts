import type { Job } from '@slipway/kube-objects/kinds/api/jobs';
import { isActive, isFinished, isReady, isTerminating, type Pod } from '@slipway/kube-objects/kinds/api/pods';
import { completionIndex, isIndexed } from './completion-index.js';
import { decision } from './job-conditions.js';
import { failedLast, type Indexes, indexesOf } from './job-indexes.js';
import { judgeFailure } from './pod-failure-policy.js';

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
  /** Of a job with indexes only. */
  readonly indexes?: Indexes;
  /** The last failed pods of indexes that are to be tried again. */
  readonly failedLast: ReadonlyMap<number, Pod>;
  /** Ended and written down as such, but not in the numbers of the status yet. */
  readonly uncounted: { readonly succeeded: readonly string[]; readonly failed: readonly string[] };
  /** The numbers of the status after this look. */
  readonly counted: { readonly succeeded: number; readonly failed: number };
  /** Held pods whose end the status accounts for, once written: they may go. */
  readonly releasable: readonly Pod[];
}

/**
 * Counts every pod once, however often this runs and whenever it is interrupted. A pod that ended is
 * first written down by UID, then loses its finalizer, and only when that is seen does its UID become a
 * number: whoever comes in between finds out how far it got. An index that succeeded needs no UID:
 * writing it down twice changes nothing.
 */
export function countPods(job: Job, pods: readonly Pod[]): Counts {
  const { status } = job;
  const held = pods.filter(isTracked);
  const succeeded = held.filter(hasSucceeded);
  const failed = held.filter((pod) => hasFailed(job, pod));
  const active = pods.filter(isActive);
  const indexes = isIndexed(job) ? indexesOf(job, succeeded, failed) : undefined;
  const last = indexes && retriesIndexes(job) ? failedLast(job, failed, active, indexes) : new Map<number, Pod>();
  const kept = new Set(last.values());
  const settled = failed.filter((pod) => !kept.has(pod));

  const notes = notesOf(job, held);
  const successes = notes.with('succeeded', indexes ? [] : succeeded);
  const failures = notes.with(
    'failed',
    settled.filter((pod) => countsAsFailed(job, pod)),
  );
  const counted = {
    succeeded: indexes ? indexes.succeeded.size : (status?.succeeded ?? 0) + successes.released,
    failed: (status?.failed ?? 0) + failures.released,
  };
  return {
    succeeded: counted.succeeded + successes.waiting.length,
    failed: counted.failed + failures.waiting.length + [...kept].filter((pod) => countsAsFailed(job, pod)).length,
    active,
    ready: active.filter(isReady).length,
    terminating: pods.filter((pod) => isTerminating(pod) && !isFinished(pod)).length,
    ...(indexes && { indexes }),
    failedLast: last,
    uncounted: { succeeded: successes.waiting, failed: failures.waiting },
    counted,
    releasable: [...succeeded, ...settled],
  };
}

/** Whether the end of a pod is still to be counted. */
export function isTracked({ metadata }: Pod): boolean {
  return metadata.finalizers?.includes(tracking) ?? false;
}

/** UIDs written down earlier: who is still held among them, and how many were let go. */
function notesOf({ status }: Job, held: readonly Pod[]) {
  const { succeeded = [], failed = [] } = status?.uncountedTerminatedPods ?? {};
  const before = { succeeded, failed };
  const known = new Set([...succeeded, ...failed]);
  const uids = new Set(held.map(uidOf));
  return {
    with: (list: keyof typeof before, ended: readonly Pod[]) => ({
      waiting: [...before[list].filter((uid) => uids.has(uid)), ...ended.map(uidOf).filter((uid) => !known.has(uid))],
      released: before[list].filter((uid) => !uids.has(uid)).length,
    }),
  };
}

function uidOf({ metadata }: Pod): string {
  return metadata.uid ?? '';
}

function hasSucceeded({ status }: Pod): boolean {
  return status?.phase === 'Succeeded';
}

/** A pod that is being deleted will not do its work any more: as good as failed, unless the job waits for its end. */
function hasFailed(job: Job, pod: Pod): boolean {
  const waits = job.spec.podReplacementPolicy === 'Failed' && !decision(job);
  return pod.status?.phase === 'Failed' || (isTerminating(pod) && !hasSucceeded(pod) && !waits);
}

/** Failures of what belongs to no index of the job say nothing about it. */
function countsAsFailed(job: Job, pod: Pod): boolean {
  if (isIndexed(job) && completionIndex(job, pod) === undefined) return false;
  return judgeFailure(job.spec.podFailurePolicy, pod).counts;
}

function retriesIndexes(job: Job): boolean {
  return job.spec.backoffLimitPerIndex !== undefined && !decision(job);
}
