import type { Job, JobCondition } from '../api/jobs.js';
import type { Pod } from '../api/pods.js';
import type { Counts } from './count-pods.js';

/** How a job ends. */
export interface Verdict {
  readonly target: 'SuccessCriteriaMet' | 'FailureTarget';
  readonly reason: string;
  readonly message: string;
}

/** The next moves of a job. */
export type JobPlan =
  /** It is decided how the job ends: what still runs is taken away, and counts as failed. */
  | { readonly kind: 'end'; readonly verdict: Verdict; readonly remove: readonly Pod[] }
  /** Nothing may run for now: what does is taken away, and does not count. */
  | { readonly kind: 'suspend'; readonly remove: readonly Pod[] }
  /** So many pods are wanting, or too many; after failures new ones have to wait. */
  | { readonly kind: 'run'; readonly create: number; readonly remove: readonly Pod[]; readonly waitMs: number };

const firstBackOffMs = 10_000;
const longestBackOffMs = 10 * 60_000;

/** Decides about a job whose pods were counted. `pods` are those that it controls. */
export function planJob(job: Job, counts: Counts, pods: readonly Pod[], nowMs: number): JobPlan {
  const verdict = decided(job) ?? decide(job, counts, pods, nowMs);
  if (verdict) return { kind: 'end', verdict, remove: counts.active };
  if (job.spec.suspend) return { kind: 'suspend', remove: counts.active };
  const surplus = counts.active.length - wantedActive(job, counts);
  const waitMs = surplus < 0 ? backOffMs(pods, nowMs) : 0;
  return {
    kind: 'run',
    create: waitMs > 0 ? 0 : Math.max(0, -surplus),
    remove: surplus > 0 ? counts.active.slice(-surplus) : [],
    waitMs,
  };
}

/** The condition of a type that holds. */
export function holding({ status }: Job, type: JobCondition['type']): JobCondition | undefined {
  return status?.conditions?.find((condition) => condition.type === type && condition.status === 'True');
}

/** When a job has run for too long; undefined when it may run for ever, or does not run. */
export function deadlineMs({ spec, status }: Job): number | undefined {
  if (spec.activeDeadlineSeconds === undefined || !status?.startTime || spec.suspend) return undefined;
  return Date.parse(status.startTime) + spec.activeDeadlineSeconds * 1000;
}

/** What was decided earlier stays decided, whatever pods do since. */
function decided(job: Job): Verdict | undefined {
  for (const target of ['SuccessCriteriaMet', 'FailureTarget'] as const) {
    const condition = holding(job, target);
    if (condition) return { target, reason: condition.reason ?? '', message: condition.message ?? '' };
  }
  return undefined;
}

function decide(job: Job, counts: Counts, pods: readonly Pod[], nowMs: number): Verdict | undefined {
  const { completions, backoffLimit } = job.spec;
  const failure = (reason: string, message: string): Verdict => ({ target: 'FailureTarget', reason, message });
  if (counts.failed > backoffLimit || restartedTooOften(job, pods)) {
    return failure('BackoffLimitExceeded', 'Job has reached the specified backoff limit');
  }
  if ((deadlineMs(job) ?? Number.POSITIVE_INFINITY) <= nowMs) {
    return failure('DeadlineExceeded', 'Job was active longer than specified deadline');
  }
  const isDone =
    completions === undefined
      ? counts.succeeded > 0 && counts.active.length === 0
      : counts.succeeded >= completions && !job.spec.suspend;
  if (!isDone) return undefined;
  const message = 'Reached expected number of succeeded pods';
  return { target: 'SuccessCriteriaMet', reason: 'CompletionsReached', message };
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

function wantedActive({ spec: { completions, parallelism } }: Job, { succeeded, active }: Counts): number {
  if (completions !== undefined) return Math.min(parallelism, completions - succeeded);
  return succeeded > 0 ? Math.min(parallelism, active.length) : parallelism;
}

/** After each failure since the last success a new pod waits twice as long: 10 s, 20 s, up to 10 min. */
function backOffMs(pods: readonly Pod[], nowMs: number): number {
  const endings = (phase: string) => pods.filter(({ status }) => status?.phase === phase).map(endedAtMs);
  const lastSuccessMs = Math.max(0, ...endings('Succeeded'));
  const failures = endings('Failed').filter((atMs) => atMs > lastSuccessMs);
  if (failures.length === 0) return 0;
  const delayMs = Math.min(longestBackOffMs, firstBackOffMs * 2 ** (failures.length - 1));
  return Math.max(0, Math.max(...failures) + delayMs - nowMs);
}

function endedAtMs({ metadata, status }: Pod): number {
  const ends = (status?.containerStatuses ?? []).flatMap(({ state }) => state.terminated?.finishedAt ?? []);
  const times = ends.map((at) => Date.parse(at));
  return times.length > 0 ? Math.max(...times) : Date.parse(metadata.creationTimestamp ?? '');
}
