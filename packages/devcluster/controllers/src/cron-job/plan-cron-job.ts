import type { ObjectReference } from '@slipway/kube';
import type { CronJob, CronJobStatus } from '@slipway/kube-objects/kinds/api/cron-jobs';
import type { Job } from '@slipway/kube-objects/kinds/api/jobs';
import { CronScheduleError, parseCronSchedule } from '@slipway/kube-objects/rules/cron-schedule';
import { holding, isOver } from '../job/job-conditions.js';
import { dueRuns, nextRun } from './next-run.js';

/** Something that is told about a CronJob. */
export interface Notice {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** The next moves of a CronJob. */
export interface CronJobPlan {
  /** The run to start now, by when it was due. */
  readonly startMs?: number;
  /** Jobs that make way for it. */
  readonly replace: readonly Job[];
  /** Ended jobs beyond those kept. */
  readonly discard: readonly Job[];
  readonly notices: readonly Notice[];
  /** When there is more to do; undefined while suspended, and when the schedule never comes true. */
  readonly nextMs?: number;
}

/**
 * Decides about a CronJob with the jobs that are its own. Only those in its status count as its runs: others were made
 * by hand (`kubectl create job --from`), and stand in no run's way.
 */
export function planCronJob(cronJob: CronJob, jobs: readonly Job[], nowMs: number): CronJobPlan {
  const discard = expired(cronJob, jobs);
  const rest = { replace: [], discard, notices: [...unexpected(cronJob, jobs), ...ended(cronJob, jobs)] };
  if (cronJob.metadata.deletionTimestamp || cronJob.spec.suspend) return rest;
  const schedule = readSchedule(cronJob);
  if ('reason' in schedule) return { ...rest, notices: [...rest.notices, schedule] };

  const { timeZone = 'UTC', startingDeadlineSeconds, concurrencyPolicy } = cronJob.spec;
  const nextMs = nextRun(schedule, nowMs, timeZone);
  const waiting = { ...rest, ...(nextMs !== undefined && { nextMs }) };
  const lastMs = Date.parse(cronJob.status?.lastScheduleTime ?? cronJob.metadata.creationTimestamp ?? '');
  const deadlineMs = startingDeadlineSeconds === undefined ? undefined : startingDeadlineSeconds * 1000;
  const { latestMs, tooMany } = dueRuns(schedule, lastMs, nowMs, timeZone);
  if (latestMs === undefined) return waiting;
  if (deadlineMs !== undefined && latestMs + deadlineMs < nowMs) return noting(waiting, missed(latestMs));

  const due = tooMany && deadlineMs === undefined ? noting(waiting, tooManyMissed) : waiting;
  const active = activeRuns(cronJob, jobs);
  if (active.length > 0 && concurrencyPolicy === 'Forbid') return noting(due, stillActive);
  return { ...due, startMs: latestMs, replace: concurrencyPolicy === 'Replace' ? active : [] };
}

/** What became of a run: when it was due, and its job. */
export interface StartedRun {
  readonly dueMs: number;
  readonly job: Job;
}

/** Computes the status of a CronJob from its remaining jobs and the run that was started, if any. */
export function cronJobStatus(cronJob: CronJob, jobs: readonly Job[], started: StartedRun | undefined): CronJobStatus {
  const { lastScheduleTime, lastSuccessfulTime } = cronJob.status ?? {};
  const runs = new Set(activeRuns(cronJob, jobs).map(({ metadata }) => metadata.uid));
  const before = (cronJob.status?.active ?? []).filter(({ uid }) => runs.has(uid));
  const isListed = !started || runs.has(started.job.metadata.uid);
  const active = isListed ? before : [...before, referenceTo(started.job)];
  const successes = jobs.flatMap((job) => (holding(job, 'Complete') && job.status?.completionTime) || []);
  const lastSuccess = [lastSuccessfulTime ?? '', ...successes].sort().at(-1);
  const lastSchedule = started ? `${new Date(started.dueMs).toISOString().slice(0, 19)}Z` : lastScheduleTime;
  return {
    ...(active.length > 0 && { active }),
    ...(lastSchedule && { lastScheduleTime: lastSchedule }),
    ...(lastSuccess && { lastSuccessfulTime: lastSuccess }),
  };
}

function readSchedule({ spec }: CronJob) {
  try {
    return parseCronSchedule(spec.schedule);
  } catch (error) {
    if (!(error instanceof CronScheduleError)) throw error;
    const message = `unparseable schedule: ${JSON.stringify(spec.schedule)} : ${error.message}`;
    return { type: 'Warning', reason: 'UnparseableSchedule', message } satisfies Notice;
  }
}

function noting(plan: CronJobPlan, notice: Notice): CronJobPlan {
  return { ...plan, notices: [...plan.notices, notice] };
}

function missed(dueMs: number): Notice {
  // RFC 1123 with a numeric zone, as Kubernetes prints it.
  const time = new Date(dueMs).toUTCString().replace('GMT', '+0000');
  return { type: 'Warning', reason: 'MissSchedule', message: `Missed scheduled time to start a job: ${time}` };
}

const tooManyMissed: Notice = {
  type: 'Warning',
  reason: 'TooManyMissedTimes',
  message: 'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew',
};

const stillActive: Notice = {
  type: 'Normal',
  reason: 'JobAlreadyActive',
  message: 'Not starting job because prior execution is running and concurrency policy is Forbid',
};

/** The jobs that the status names and that are not over. */
function activeRuns({ status }: CronJob, jobs: readonly Job[]): readonly Job[] {
  const listed = new Set((status?.active ?? []).map(({ uid }) => uid));
  return jobs.filter((job) => listed.has(job.metadata.uid) && !isOver(job));
}

/** Jobs under way that the status does not name. */
function unexpected({ status }: CronJob, jobs: readonly Job[]): readonly Notice[] {
  const listed = new Set((status?.active ?? []).map(({ uid }) => uid));
  const others = jobs.filter((job) => !listed.has(job.metadata.uid) && !isOver(job));
  return others.map(({ metadata: { name } }) => {
    const message = `Saw a job that the controller did not create or forgot: ${name}`;
    return { type: 'Warning', reason: 'UnexpectedJob', message };
  });
}

/** What became of jobs that were active when last looked at. */
function ended({ status }: CronJob, jobs: readonly Job[]): readonly Notice[] {
  return (status?.active ?? []).flatMap(({ uid, name }): readonly Notice[] => {
    const job = jobs.find(({ metadata }) => metadata.uid === uid);
    if (!job) return [{ type: 'Normal', reason: 'MissingJob', message: `Active job went missing: ${name}` }];
    const condition = holding(job, 'Complete') ?? holding(job, 'Failed');
    if (!condition) return [];
    const message = `Saw completed job: ${name}, condition: ${condition.type}`;
    return [{ type: 'Normal', reason: 'SawCompletedJob', message }];
  });
}

/** Of the jobs that ended one way or the other the oldest, but for as many as are to be kept. */
function expired({ spec }: CronJob, jobs: readonly Job[]): readonly Job[] {
  const oldest = (type: 'Complete' | 'Failed', kept: number) => {
    const those = jobs.filter((job) => holding(job, type) && !job.metadata.deletionTimestamp);
    return those.sort((a, b) => startedAtMs(a) - startedAtMs(b)).slice(0, Math.max(0, those.length - kept));
  };
  return [...oldest('Complete', spec.successfulJobsHistoryLimit), ...oldest('Failed', spec.failedJobsHistoryLimit)];
}

function startedAtMs({ metadata, status }: Job): number {
  return Date.parse(status?.startTime ?? metadata.creationTimestamp ?? '');
}

function referenceTo({ metadata }: Job): ObjectReference {
  const { name = '', namespace, uid, resourceVersion } = metadata;
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    name,
    ...(namespace && { namespace }),
    ...(uid && { uid }),
    ...(resourceVersion && { resourceVersion }),
  };
}
