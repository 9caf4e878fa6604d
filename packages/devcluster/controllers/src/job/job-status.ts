import { timestamp } from '@slipway/kube';
import type { Job, JobCondition, JobStatus } from '@slipway/kube-objects/kinds/api/jobs';
import { positive } from '../workloads/positive.js';
import type { Counts } from './count-pods.js';
import { formatIndexes } from './indexes.js';
import { holding } from './job-conditions.js';
import type { JobPlan } from './plan-job.js';

/**
 * Computes the status of a job. Its end is announced as soon as it is decided, and is final once no pod is running,
 * terminating or still to be counted.
 */
export function jobStatus(job: Job, counts: Counts, plan: JobPlan, nowMs: number): JobStatus {
  const { startTime, completionTime } = job.status ?? {};
  const { active, ready, terminating, uncounted, counted, indexes, releasable } = counts;
  const isStill = active.length + terminating + releasable.length === 0;
  const conditions = conditionsOf(job, plan, isStill, nowMs);
  const isSuspended = plan.kind === 'suspend';
  const isComplete = conditions.some(({ type, status }) => type === 'Complete' && status === 'True');
  return {
    ...(conditions.length > 0 && { conditions }),
    ...(!isSuspended && { startTime: startTime ?? timestamp(nowMs) }),
    ...(isComplete && { completionTime: completionTime ?? timestamp(nowMs) }),
    ...positive('active', active.length),
    ...positive('succeeded', counted.succeeded),
    ...positive('failed', counted.failed),
    ...(indexes && indexes.succeeded.size > 0 && { completedIndexes: formatIndexes(indexes.succeeded) }),
    ...(indexes && job.spec.backoffLimitPerIndex !== undefined && { failedIndexes: formatIndexes(indexes.failed) }),
    ready,
    terminating,
    uncountedTerminatedPods: {
      ...(uncounted.succeeded.length > 0 && { succeeded: uncounted.succeeded }),
      ...(uncounted.failed.length > 0 && { failed: uncounted.failed }),
    },
  };
}

function conditionsOf(job: Job, plan: JobPlan, isStill: boolean, nowMs: number): readonly JobCondition[] {
  const at = timestamp(nowMs);
  const before = job.status?.conditions ?? [];
  const set = (list: readonly JobCondition[], condition: JobCondition): readonly JobCondition[] => {
    const known = list.find(({ type }) => type === condition.type);
    if (known?.status === condition.status) return list;
    const made = { ...condition, lastProbeTime: at, lastTransitionTime: at };
    return known ? list.map((each) => (each === known ? made : each)) : [...list, made];
  };
  if (plan.kind === 'suspend') {
    return set(before, { type: 'Suspended', status: 'True', reason: 'JobSuspended', message: 'Job suspended' });
  }
  if (plan.kind === 'run') {
    if (!holding(job, 'Suspended')) return before;
    return set(before, { type: 'Suspended', status: 'False', reason: 'JobResumed', message: 'Job resumed' });
  }
  const { target, ...why } = plan.outcome;
  const decided = set(before, { type: target, status: 'True', ...why });
  const end = target === 'SuccessCriteriaMet' ? 'Complete' : 'Failed';
  return isStill ? set(decided, { type: end, status: 'True', ...why }) : decided;
}
