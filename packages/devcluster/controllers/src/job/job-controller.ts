import {
  Controller,
  controllerOf,
  type EventRecorder,
  errorMessage,
  hasReason,
  isNamespaceTerminating,
  type KubeObject,
  type ObjectRef,
  type Reconciler,
  refOf,
  retryLostRaces,
} from '@slipway/kube';
import { type Job, jobs } from '@slipway/kube-objects/kinds/api/jobs';
import { type Pod, pods } from '@slipway/kube-objects/kinds/api/pods';
import { OwnedObjects } from '../ownership/owned-objects.js';
import { podFromTemplate } from '../workloads/pod-from-template.js';
import { RecordedClient } from '../workloads/recorded-client.js';
import type { WorkloadDeps } from '../workloads/workload-deps.js';
import { createPods, deletePod, type Writing } from '../workloads/write-pods.js';
import { indexedName, indexedTemplate } from './completion-index.js';
import { countPods, isTracked, tracking } from './count-pods.js';
import { holding, isOver } from './job-conditions.js';
import { deadlineMs } from './job-outcome.js';
import { jobStatus } from './job-status.js';
import { type JobPlan, type NewPod, planJob } from './plan-job.js';

const nameLabel = 'batch.kubernetes.io/job-name';

/** Runs the pods of each Job until enough of them succeeded or too many failed. */
export function jobController(deps: WorkloadDeps): Controller {
  return new Controller({
    ...deps,
    name: 'job-controller',
    for: jobs,
    owns: [pods],
    // Pods that lost their owner are still ours to let go.
    watches: [{ of: pods, map: (pod) => jobOf(pod) }],
    workers: 5,
    reconcile: retryLostRaces(jobReconciler(deps)),
  });
}

/** Observes one Job and its pods, counts what ended, makes the next moves, records the outcome. */
function jobReconciler({ kube, informers }: Omit<WorkloadDeps, 'log'>): Reconciler {
  const podInformer = informers.informer(pods);
  podInformer.addIndex(byJob, trackedKeys);
  const all = new RecordedClient({ kube, informers }, jobs);
  const own = new OwnedObjects({ kube, informers }, jobs, pods);
  const letGo = async (those: readonly Pod[]) => {
    await Promise.all(those.map((pod) => release(own.objects, pod)));
  };

  return async (ref, { signal, now, events }) => {
    const job = all.get(ref);
    const tracked = podInformer.lister.byIndex(byJob, keyOf(ref));
    await letGo(tracked.filter((pod) => controllerOf(pod)?.uid !== job?.metadata.uid));
    if (!job || isManagedElsewhere(job)) return;
    const owned = await own.claim(job, job.spec.selector, signal);
    if (job.metadata.deletionTimestamp) return letGo(owned.filter(isTracked));
    if (isOver(job)) return;

    const counts = countPods(job, owned);
    const plan = planJob(job, counts, owned, now());
    const status = jobStatus(job, counts, plan, now());
    tell(events, job, await all.replaceStatus(job, status, signal));
    await letGo(counts.releasable);
    await change({ objects: own.objects, events, signal }, job, plan);
    const waits = [
      ...(plan.kind === 'run' && plan.waitMs > 0 ? [plan.waitMs] : []),
      ...(plan.kind !== 'end' ? [deadlineMs(job)].flatMap((at) => (at === undefined ? [] : [at - now()])) : []),
      // What was let go here is counted when it is seen; the next reconciliation must not wait for another event.
      ...(counts.releasable.length > 0 ? [20] : []),
    ];
    return waits.length > 0 ? { requeueAfterMs: Math.max(1, Math.min(...waits)) } : undefined;
  };
}

function isManagedElsewhere({ spec }: Job): boolean {
  return spec.managedBy !== undefined && spec.managedBy !== 'kubernetes.io/job-controller';
}

const byJob = 'tracked by a job';

/** One function for all informers: an index may be added again, but only by the same function. */
function trackedKeys(pod: Pod): readonly string[] {
  return isTracked(pod) ? jobOf(pod).map(keyOf) : [];
}

/** The job that a pod belongs to, or did. */
function jobOf(pod: KubeObject): readonly ObjectRef[] {
  const owner = controllerOf(pod);
  const name = owner?.kind === 'Job' ? owner.name : pod.metadata.labels?.[nameLabel];
  return name ? [{ name, namespace: pod.metadata.namespace }] : [];
}

function keyOf({ name, namespace }: ObjectRef): string {
  return `${namespace}/${name}`;
}

/** No more than this many pods are created in one go. */
const burst = 500;

async function change(writing: Writing<Pod>, job: Job, plan: JobPlan): Promise<void> {
  const removed = await Promise.allSettled(
    plan.remove.map(async (pod) => {
      // What is taken away without having failed must not count as a failure.
      if (plan.kind !== 'end') await release(writing.objects, pod);
      await deletePod(writing, job, pod);
    }),
  );
  const refused = removed.find((each) => each.status === 'rejected');
  if (refused?.status === 'rejected') throw refused.reason;
  const wanted = plan.kind === 'run' ? plan.create.slice(0, burst) : [];
  const { error } = await createPods(writing, job, wanted.length, (index) => podOf(job, wanted[index] ?? {}));
  if (error === undefined || isNamespaceTerminating(error)) return;
  writing.events.event(job, 'Warning', 'FailedCreate', `Error creating: ${errorMessage(error)}`);
  throw error;
}

/** Takes our finalizer off a pod: it was counted, or is no longer to be counted. */
async function release(all: RecordedClient<Pod>, pod: Pod): Promise<void> {
  try {
    const released = await all.client.mutate(refOf(pod), (draft) => {
      if (draft.metadata.uid !== pod.metadata.uid) return;
      const others = draft.metadata.finalizers?.filter((name) => name !== tracking) ?? [];
      if (others.length > 0) draft.metadata.finalizers = others;
      else delete draft.metadata.finalizers;
    });
    if (released.metadata.uid === pod.metadata.uid && !released.metadata.deletionTimestamp) all.wrote(released);
  } catch (error) {
    if (!hasReason(error, 'NotFound')) throw error;
  }
}

function podOf(job: Job, { index, failures }: NewPod): Pod {
  const template = index === undefined ? job.spec.template : indexedTemplate(job, index, failures);
  const { metadata, ...pod } = podFromTemplate(job, template);
  return {
    ...pod,
    metadata: {
      ...metadata,
      ...(index !== undefined && { generateName: indexedName(job, index) }),
      finalizers: [...(metadata.finalizers ?? []), tracking],
    },
  };
}

function tell(events: EventRecorder, before: Job, after: Job): void {
  const began = (type: Parameters<typeof holding>[1]) => !holding(before, type) && holding(after, type);
  const failed = began('Failed');
  if (failed) events.event(after, 'Warning', failed.reason ?? '', failed.message ?? '');
  if (began('Complete')) events.event(after, 'Normal', 'Completed', 'Job completed');
  if (began('Suspended')) events.event(after, 'Normal', 'Suspended', 'Job suspended');
  if (holding(before, 'Suspended') && !holding(after, 'Suspended')) {
    events.event(after, 'Normal', 'Resumed', 'Job resumed');
  }
}
