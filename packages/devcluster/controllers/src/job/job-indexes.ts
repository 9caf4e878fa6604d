import type { Job } from '@slipway/kube-objects/kinds/api/jobs';
import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import { completionIndex, failuresBefore } from './completion-index.js';
import { endOfPodMs } from './end-of-pod.js';
import { parseIndexes } from './indexes.js';
import { judgeFailure } from './pod-failure-policy.js';

/** How far the indexes of a job are. */
export interface Indexes {
  readonly succeeded: ReadonlySet<number>;
  /** Those that failed too often to be tried again. */
  readonly failed: ReadonlySet<number>;
}

/** Merges the indexes of the status with those of pods that ended since. */
export function indexesOf(job: Job, succeeded: readonly Pod[], failed: readonly Pod[]): Indexes {
  const { completions = 0, backoffLimitPerIndex: limit } = job.spec;
  const indexes = (pods: readonly Pod[]) => pods.flatMap((pod) => completionIndex(job, pod) ?? []);
  const known = (text: string | undefined) => parseIndexes(text, completions);
  const spent = limit === undefined ? [] : failed.filter((pod) => isSpent(job, limit, pod));
  return {
    succeeded: new Set([...known(job.status?.completedIndexes), ...indexes(succeeded)]),
    failed: new Set([...known(job.status?.failedIndexes), ...indexes(spent)]),
  };
}

/** Whether the index of a failed pod has failed for the last time. */
function isSpent({ spec }: Job, limit: number, pod: Pod): boolean {
  const { counts, failsIndex } = judgeFailure(spec.podFailurePolicy, pod);
  return failsIndex || (counts && failuresBefore(pod).counted >= limit);
}

/**
 * The last failed pod of each index that is to be tried again and that no pod works on. It is held until there
 * is another: that one is told how often the index has failed.
 */
export function failedLast(
  job: Job,
  failed: readonly Pod[],
  active: readonly Pod[],
  indexes: Indexes,
): ReadonlyMap<number, Pod> {
  const busy = new Set(active.map((pod) => completionIndex(job, pod)));
  const last = new Map<number, Pod>();
  for (const pod of [...failed].sort((a, b) => attempts(a) - attempts(b) || endOfPodMs(a) - endOfPodMs(b))) {
    const index = completionIndex(job, pod);
    if (index === undefined || busy.has(index) || indexes.succeeded.has(index) || indexes.failed.has(index)) continue;
    last.set(index, pod);
  }
  return last;
}

function attempts(pod: Pod): number {
  const { counted, ignored } = failuresBefore(pod);
  return counted + ignored;
}
