import type { Job } from '@slipway/kube-objects/kinds/api/jobs';
import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import type { Counts } from './count-pods.js';
import { parseIndexes } from './indexes.js';
import { decision } from './job-conditions.js';
import { judgeFailure } from './pod-failure-policy.js';

/** The outcome of a job that ends. */
export interface JobOutcome {
  readonly target: 'SuccessCriteriaMet' | 'FailureTarget';
  readonly reason: string;
  readonly message: string;
}

/** Decides whether a job ends, and how. An earlier decision is final. */
export function jobOutcome(job: Job, counts: Counts, pods: readonly Pod[], nowMs: number): JobOutcome | undefined {
  const decided = decision(job);
  if (decided) {
    const target = decided.type === 'SuccessCriteriaMet' ? decided.type : 'FailureTarget';
    return { target, reason: decided.reason ?? '', message: decided.message ?? '' };
  }
  return failure(job, counts, pods, nowMs) ?? success(job, counts);
}

/** When a job has run for too long; undefined when it may run without a limit, or does not run. */
export function deadlineMs({ spec, status }: Job): number | undefined {
  if (spec.activeDeadlineSeconds === undefined || !status?.startTime || spec.suspend) return undefined;
  return Date.parse(status.startTime) + spec.activeDeadlineSeconds * 1000;
}

function failure(job: Job, counts: Counts, pods: readonly Pod[], nowMs: number): JobOutcome | undefined {
  const { backoffLimit, podFailurePolicy, completions = 0, backoffLimitPerIndex, maxFailedIndexes } = job.spec;
  const fails = (reason: string, message: string): JobOutcome => ({ target: 'FailureTarget', reason, message });
  const fatal = podFailurePolicy && firstFatal(job, pods);
  if (fatal) return fails('PodFailurePolicy', fatal);
  if (counts.failed > backoffLimit || restartedTooOften(job, pods)) {
    return fails('BackoffLimitExceeded', 'Job has reached the specified backoff limit');
  }
  if ((deadlineMs(job) ?? Number.POSITIVE_INFINITY) <= nowMs) {
    return fails('DeadlineExceeded', 'Job was active longer than specified deadline');
  }
  const { indexes } = counts;
  if (!indexes || backoffLimitPerIndex === undefined) return undefined;
  if (indexes.failed.size > (maxFailedIndexes ?? Number.POSITIVE_INFINITY)) {
    return fails('MaxFailedIndexesExceeded', 'Job has exceeded the specified maximal number of failed indexes');
  }
  if (indexes.failed.size > 0 && indexes.failed.size + indexes.succeeded.size >= completions) {
    return fails('FailedIndexes', 'Job has failed indexes');
  }
  return undefined;
}

function firstFatal({ spec }: Job, pods: readonly Pod[]): string | undefined {
  const failed = pods.filter(({ status }) => status?.phase === 'Failed');
  return failed.map((pod) => judgeFailure(spec.podFailurePolicy, pod).failsJob).find((why) => why !== undefined);
}

function success(job: Job, { succeeded, active, indexes }: Counts): JobOutcome | undefined {
  const { completions, successPolicy, suspend } = job.spec;
  const succeeds = (reason: string, message: string): JobOutcome => ({ target: 'SuccessCriteriaMet', reason, message });
  const rule = indexes?.succeeded.size
    ? successPolicy?.rules.findIndex(({ succeededIndexes, succeededCount }) => {
        const wanted = succeededIndexes && parseIndexes(succeededIndexes, completions ?? 0);
        const met = wanted
          ? [...wanted].filter((index) => indexes.succeeded.has(index)).length
          : indexes.succeeded.size;
        return met >= (succeededCount ?? (wanted ? wanted.size : 0));
      })
    : undefined;
  if (rule !== undefined && rule >= 0) return succeeds('SuccessPolicy', `Matched rules at index ${rule}`);
  const isDone =
    completions === undefined ? succeeded > 0 && active.length === 0 : succeeded >= completions && !suspend;
  return isDone ? succeeds('CompletionsReached', 'Reached expected number of succeeded pods') : undefined;
}

/** Containers that are restarted in place count their failures themselves. */
function restartedTooOften({ spec }: Job, pods: readonly Pod[]): boolean {
  if (spec.template.spec.restartPolicy !== 'OnFailure') return false;
  const running = pods.filter(({ status }) => status?.phase === 'Running' || status?.phase === 'Pending');
  const restarts = running
    .flatMap(({ status }) => [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])])
    .reduce((sum, { restartCount }) => sum + restartCount, 0);
  return spec.backoffLimit === 0 ? restarts > 0 : restarts >= spec.backoffLimit;
}
