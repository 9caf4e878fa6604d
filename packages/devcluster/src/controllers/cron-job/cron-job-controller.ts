import {
  Controller,
  hasReason,
  isControlledBy,
  ownerReference,
  type Reconciler,
  type ResourceClient,
  sameJson,
} from '@slipway/kube';
import { type CronJob, cronJobs } from '../api/cron-jobs.js';
import { type Job, jobs } from '../api/jobs.js';
import { refOf } from '../api/object-ref.js';
import { retryLostRaces } from '../lost-race.js';
import { isNamespaceGoing } from '../namespace/is-terminating.js';
import { indexByController, ownedBy } from '../ownership/by-controller.js';
import { RecentWrites } from '../recent-writes.js';
import type { WorkloadDeps } from '../replica-set/replica-set-controller.js';
import { cronJobStatus, planCronJob } from './plan-cron-job.js';
import { momentOf, wallAt } from './wall-clock.js';

/** Starts a Job whenever the schedule of a CronJob says so, and keeps the last few. */
export function cronJobController(deps: WorkloadDeps): Controller {
  return new Controller({
    ...deps,
    name: 'cronjob-controller',
    for: cronJobs,
    owns: [jobs],
    workers: 5,
    reconcile: retryLostRaces(cronJobReconciler(deps)),
  });
}

/** Observes one CronJob and its jobs, starts what is due, lets go of what is old, records the outcome. */
export function cronJobReconciler({ kube, informers }: Omit<WorkloadDeps, 'log'>): Reconciler {
  const jobInformer = informers.informer(jobs);
  indexByController(jobInformer);
  const client = kube.resource(cronJobs);
  const jobClient = kube.resource(jobs);
  const recent = new RecentWrites(informers.informer(cronJobs), kube.clock);
  const recentJobs = new RecentWrites(jobInformer, kube.clock);
  const jobsOf = (cronJob: CronJob) =>
    recentJobs.over(ownedBy(jobInformer, cronJob.metadata.uid ?? ''), (job) => isControlledBy(job, cronJob));

  return async (ref, { signal, now, events }) => {
    const cronJob = recent.get(ref);
    if (!cronJob) return;
    const plan = planCronJob(cronJob, jobsOf(cronJob), now());
    for (const { type, reason, message } of plan.notices) events.event(cronJob, type, reason, message);
    for (const job of [...plan.replace, ...plan.discard]) {
      await jobClient.delete(refOf(job), {
        preconditions: { uid: job.metadata.uid ?? '' },
        propagationPolicy: 'Background',
        signal,
      });
      recentJobs.deleted(job);
      events.event(cronJob, 'Normal', 'SuccessfulDelete', `Deleted job ${job.metadata.name}`);
    }
    if (plan.startMs !== undefined) {
      try {
        const job = recentJobs.wrote(await start(jobClient, cronJob, plan.startMs, signal));
        events.event(cronJob, 'Normal', 'SuccessfulCreate', `Created job ${job.metadata.name}`);
      } catch (error) {
        if (isNamespaceGoing(error)) return;
        // It was started before, and the process ended before it could be written down.
        if (!hasReason(error, 'AlreadyExists')) {
          const why = error instanceof Error ? error.message : String(error);
          events.event(cronJob, 'Warning', 'FailedCreate', `Error creating job: ${why}`);
          throw error;
        }
      }
    }
    const present = jobsOf(cronJob).filter((job) => !job.metadata.deletionTimestamp);
    const status = cronJobStatus(cronJob, present, plan.startMs);
    if (!sameJson(status, cronJob.status)) {
      recent.wrote(await client.replaceStatus({ ...cronJob, status }, { signal }));
    }
    return plan.nextMs === undefined ? undefined : { requeueAfterMs: plan.nextMs - now() };
  };
}

/** The name says when the run was due, so that it cannot be started twice. */
function start(client: ResourceClient<Job>, cronJob: CronJob, dueMs: number, signal: AbortSignal): Promise<Job> {
  const { name = '', namespace = '' } = cronJob.metadata;
  const { metadata, spec } = cronJob.spec.jobTemplate;
  const annotations = {
    ...metadata?.annotations,
    'batch.kubernetes.io/cronjob-scheduled-timestamp': localTime(dueMs, cronJob.spec.timeZone ?? 'UTC'),
  };
  const job: Job = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: `${name}-${Math.floor(dueMs / 60_000)}`,
      namespace,
      ...(metadata?.labels && { labels: { ...metadata.labels } }),
      annotations,
      ownerReferences: [ownerReference(cronJob, { controller: true })],
    },
    spec,
  };
  return client.create(job, { signal });
}

/** RFC 3339 with the offset that clocks in the zone have. */
function localTime(ms: number, timeZone: string): string {
  const wall = wallAt(ms, timeZone);
  const offset = Math.round((wall - (momentOf(wall, timeZone) ?? ms)) / 60_000);
  const text = new Date(wall).toISOString().slice(0, 19);
  if (offset === 0) return `${text}Z`;
  const digits = (count: number) => String(Math.floor(Math.abs(count))).padStart(2, '0');
  return `${text}${offset < 0 ? '-' : '+'}${digits(offset / 60)}:${digits(offset % 60)}`;
}
