import {
  Controller,
  errorMessage,
  hasReason,
  isControlledBy,
  isNamespaceTerminating,
  ownerReference,
  type Reconciler,
  refOf,
  retryLostRaces,
} from '@slipway/kube';
import { type CronJob, cronJobs } from '@slipway/kube-objects/kinds/api/cron-jobs';
import { type Job, jobs } from '@slipway/kube-objects/kinds/api/jobs';
import { indexByController, ownedBy } from '../ownership/by-controller.js';
import { RecordedClient } from '../workloads/recorded-client.js';
import type { WorkloadDeps } from '../workloads/workload-deps.js';
import { cronJobStatus, planCronJob, type StartedRun } from './plan-cron-job.js';
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
function cronJobReconciler({ kube, informers }: Omit<WorkloadDeps, 'log'>): Reconciler {
  const jobInformer = informers.informer(jobs);
  indexByController(jobInformer);
  const all = new RecordedClient({ kube, informers }, cronJobs);
  const ownJobs = new RecordedClient({ kube, informers }, jobs);
  const jobsOf = (cronJob: CronJob) =>
    ownJobs.over(ownedBy(jobInformer, cronJob.metadata.uid ?? ''), (job) => isControlledBy(job, cronJob));

  return async (ref, { signal, now, events }) => {
    const cronJob = all.get(ref);
    if (!cronJob) return;
    const seen = jobsOf(cronJob);
    const plan = planCronJob(cronJob, seen, now());
    for (const { type, reason, message } of plan.notices) events.event(cronJob, type, reason, message);
    for (const job of [...plan.replace, ...plan.discard]) {
      await ownJobs.delete(job, { propagationPolicy: 'Background', signal });
      events.event(cronJob, 'Normal', 'SuccessfulDelete', `Deleted job ${job.metadata.name}`);
    }
    const started = plan.startMs === undefined ? undefined : await start(cronJob, plan.startMs);
    if (started === 'namespace is going') return;
    const left = seen.filter((job) => !plan.replace.includes(job));
    const status = cronJobStatus(cronJob, left, started);
    await all.replaceStatus(cronJob, status, signal);
    return plan.nextMs === undefined ? undefined : { requeueAfterMs: plan.nextMs - now() };

    async function start(due: CronJob, dueMs: number): Promise<StartedRun | 'namespace is going' | undefined> {
      const wanted = jobFor(due, dueMs);
      try {
        const job = await ownJobs.create(wanted, signal);
        events.event(due, 'Normal', 'SuccessfulCreate', `Created job ${job.metadata.name}`);
        return { dueMs, job };
      } catch (error) {
        if (isNamespaceTerminating(error)) return 'namespace is going';
        if (!hasReason(error, 'AlreadyExists')) {
          const why = errorMessage(error);
          events.event(due, 'Warning', 'FailedCreate', `Error creating job: ${why}`);
          throw error;
        }
        // It was started before, and the process ended before it could be written down; or another owner has the name.
        const there = await ownJobs.client.get(refOf(wanted), signal);
        return isControlledBy(there, due) ? { dueMs, job: there } : undefined;
      }
    }
  };
}

/** The name says when the run was due, so that it cannot be started twice. */
function jobFor(cronJob: CronJob, dueMs: number): Job {
  const { name = '', namespace = '' } = cronJob.metadata;
  const { metadata, spec } = cronJob.spec.jobTemplate;
  const annotations = {
    ...metadata?.annotations,
    'batch.kubernetes.io/cronjob-scheduled-timestamp': localTime(dueMs, cronJob.spec.timeZone ?? 'UTC'),
  };
  return {
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
