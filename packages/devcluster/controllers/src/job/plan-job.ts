import type { Job } from '@slipway/kube-objects/kinds/api/jobs';
import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import { leastMissedFirst } from '../replica-set/plan-replicas.js';
import { completionIndex, type Failures, failuresWith, isIndexed } from './completion-index.js';
import type { Counts } from './count-pods.js';
import { endOfPodMs } from './end-of-pod.js';
import { type JobOutcome, jobOutcome } from './job-outcome.js';

/** The next moves of a job. */
export type JobPlan =
  /** It is decided how the job ends: what still runs is taken away, and counts as failed. */
  | { readonly kind: 'end'; readonly outcome: JobOutcome; readonly remove: readonly Pod[] }
  /** Nothing may run for now: what does is taken away, and does not count. */
  | { readonly kind: 'suspend'; readonly remove: readonly Pod[] }
  /** Pods are wanting, or there are too many; after failures new ones have to wait. */
  | {
      readonly kind: 'run';
      readonly create: readonly NewPod[];
      readonly remove: readonly Pod[];
      readonly waitMs: number;
    };

/** A pod to be made; of a job with indexes, for which one, and how often that has failed. */
export interface NewPod {
  readonly index?: number;
  readonly failures?: Failures;
}

const firstBackOffMs = 10_000;
const longestBackOffMs = 10 * 60_000;

/** Decides about a job whose pods were counted. `pods` are those that it controls. */
export function planJob(job: Job, counts: Counts, pods: readonly Pod[], nowMs: number): JobPlan {
  const outcome = jobOutcome(job, counts, pods, nowMs);
  if (outcome) return { kind: 'end', outcome, remove: counts.active };
  if (job.spec.suspend) return { kind: 'suspend', remove: counts.active };
  const wanted = wantedActive(job, counts);
  const remove = superfluous(job, counts.active, wanted, nowMs);
  // Never both at once: what goes may free the index that a new pod is for.
  if (remove.length > 0) return { kind: 'run', create: [], remove, waitMs: 0 };
  const leaving = job.spec.podReplacementPolicy === 'Failed' ? counts.terminating : 0;
  const missing = Math.max(0, wanted - counts.active.length - leaving);
  return {
    kind: 'run',
    remove,
    ...(isIndexed(job) ? forIndexes(job, counts, pods, missing, nowMs) : alike(pods, missing, nowMs)),
  };
}

interface Creation {
  readonly create: readonly NewPod[];
  readonly waitMs: number;
}

function alike(pods: readonly Pod[], missing: number, nowMs: number): Creation {
  const waitMs = missing > 0 ? sinceLastSuccess(pods, nowMs) : 0;
  return { create: waitMs > 0 ? [] : Array.from({ length: missing }, () => ({})), waitMs };
}

/** Pods for the lowest indexes that nothing is done for yet. With a limit per index each waits for itself. */
function forIndexes(job: Job, counts: Counts, pods: readonly Pod[], missing: number, nowMs: number): Creation {
  const { backoffLimitPerIndex, podFailurePolicy } = job.spec;
  const pending = pendingIndexes(job, counts, pods).slice(0, missing);
  if (backoffLimitPerIndex === undefined) {
    const { create, waitMs } = alike(pods, pending.length, nowMs);
    return { create: create.map((_, at) => ({ index: pending[at] as number })), waitMs };
  }
  const ready: NewPod[] = [];
  const waits: number[] = [];
  for (const index of pending) {
    const last = counts.failedLast.get(index);
    const failures = last ? failuresWith(last, podFailurePolicy) : { counted: 0, ignored: 0 };
    const waitMs = last ? backOffMs(failures.counted + failures.ignored, endOfPodMs(last), nowMs) : 0;
    if (waitMs > 0) waits.push(waitMs);
    else ready.push({ index, failures });
  }
  return { create: ready, waitMs: waits.length > 0 ? Math.min(...waits) : 0 };
}

function pendingIndexes(job: Job, { active, indexes }: Counts, pods: readonly Pod[]): readonly number[] {
  const working = job.spec.podReplacementPolicy === 'Failed' ? pods.filter(isUnfinished) : active;
  const taken = new Set(working.map((pod) => completionIndex(job, pod)));
  const all = Array.from({ length: job.spec.completions ?? 0 }, (_, index) => index);
  return all.filter((index) => !taken.has(index) && !indexes?.succeeded.has(index) && !indexes?.failed.has(index));
}

function isUnfinished({ status }: Pod): boolean {
  return status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
}

function wantedActive({ spec: { completions, parallelism } }: Job, { succeeded, active, indexes }: Counts): number {
  if (completions === undefined) return succeeded > 0 ? Math.min(parallelism, active.length) : parallelism;
  return Math.max(0, Math.min(parallelism, completions - succeeded - (indexes?.failed.size ?? 0)));
}

/** Active pods that work on no index of the job or on one that another works on, and as many more as are too many. */
function superfluous(job: Job, active: readonly Pod[], wanted: number, nowMs: number): readonly Pod[] {
  const surplus = active.length - wanted;
  const useless = isIndexed(job) ? withoutOwnIndex(job, active, nowMs) : [];
  const others = leastMissedFirst(
    active.filter((pod) => !useless.includes(pod)),
    nowMs,
  );
  return [...useless, ...others.slice(0, Math.max(0, surplus - useless.length))];
}

function withoutOwnIndex(job: Job, active: readonly Pod[], nowMs: number): readonly Pod[] {
  const seen = new Set<number>();
  return leastMissedFirst(active, nowMs)
    .reverse()
    .filter((pod) => {
      const index = completionIndex(job, pod);
      const isUseless = index === undefined || seen.has(index);
      if (index !== undefined) seen.add(index);
      return isUseless;
    });
}

/** Each failure since the last success doubles how long a new pod has to wait. */
function sinceLastSuccess(pods: readonly Pod[], nowMs: number): number {
  const endings = (phase: string) => pods.filter(({ status }) => status?.phase === phase).map(endOfPodMs);
  const lastSuccessMs = Math.max(0, ...endings('Succeeded'));
  const failures = endings('Failed').filter((atMs) => atMs > lastSuccessMs);
  return failures.length === 0 ? 0 : backOffMs(failures.length, Math.max(...failures), nowMs);
}

/** What is left of 10 s, 20 s, up to 10 min since the last of so many failures. */
function backOffMs(failures: number, lastMs: number, nowMs: number): number {
  const delayMs = Math.min(longestBackOffMs, firstBackOffMs * 2 ** (failures - 1));
  return Math.max(0, lastMs + delayMs - nowMs);
}
