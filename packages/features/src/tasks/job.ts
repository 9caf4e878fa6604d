import type { Kube, KubeObject, ResourceRef } from '@slipway/kube';
import { labels } from '../api/group.js';
import { digest } from '../lifecycle/digest.js';
import type { TaskOutcome } from '../lifecycle/task-outcome.js';
import type { Task, TaskContext } from './task.js';
import { argumentProblems } from './task-arguments.js';
import { notConfigured } from './webhook.js';

/** What a job runs. Only the server knows it: no definition names an image or a command. */
export interface JobTemplate {
  readonly namespace: string;
  /** A pod template, as of batch/v1 Job. */
  readonly template: { readonly metadata?: object; readonly spec: KubeObject['spec'] };
}

/** The exit code by which a program asks to be run again later (EX_TEMPFAIL). */
const tryAgain = 75;
const retryMs = 60_000;
const jobs: ResourceRef = { group: 'batch', version: 'v1', kind: 'Job', plural: 'jobs', namespaced: true };
const pods: ResourceRef = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };

/**
 * Runs a Job to its end, one per task and transition: its name says which, so that
 * starting it twice is starting it once. Exit code 0 is done, 75 is run again, any
 * other waits for a person. The program finds what it is about in its environment.
 */
export function jobTask(templates: Readonly<Record<string, JobTemplate>>): Task {
  return {
    kind: 'Job',
    destructive: true,
    check: (args) => argumentProblems('Job', args, { name: { type: 'text', required: true } }),
    async run(context) {
      const { kube, task, signal } = context;
      const { name: wanted } = task.args as { readonly name: string };
      const template = Object.hasOwn(templates, wanted) ? templates[wanted] : undefined;
      if (!template) return notConfigured('job', wanted, Object.keys(templates));
      const client = kube.resource(jobs);
      const ref = { name: jobName(context), namespace: template.namespace };
      const job =
        (await client.find(ref, signal)) ?? (await client.create(aJob(context, ref.name, template), { signal }));
      const ended = (type: string) =>
        (job.status?.conditions ?? []).some(
          (one: { type: string; status: string }) => one.type === type && one.status === 'True',
        );
      if (ended('Complete')) return { kind: 'done' };
      if (!ended('Failed')) {
        return {
          kind: 'waiting',
          reason: 'Running',
          message: `job ${ref.namespace}/${ref.name} runs`,
          retryAfterMs: 2_000,
        };
      }
      return await failed(kube, ref, job, signal);
    },
  };
}

async function failed(
  kube: Kube,
  { name, namespace }: { readonly name: string; readonly namespace: string },
  { metadata: { uid } }: KubeObject,
  signal: AbortSignal,
): Promise<TaskOutcome> {
  const labelSelector = `batch.kubernetes.io/job-name=${name}`;
  const { items } = await kube.resource(pods).list({ namespace, labelSelector, signal });
  const codes = items.flatMap(({ status }) =>
    (status?.containerStatuses ?? []).flatMap(
      (one: { state?: { terminated?: { exitCode: number } } }) => one.state?.terminated?.exitCode ?? [],
    ),
  ) as readonly number[];
  if (codes.includes(tryAgain)) {
    const preconditions = uid === undefined ? {} : { preconditions: { uid } };
    await kube
      .resource(jobs)
      .delete({ name, namespace }, { propagationPolicy: 'Background', ...preconditions, signal });
    const message = `job ${namespace}/${name} asks to be run again (exit code ${tryAgain})`;
    return { kind: 'waiting', reason: 'Retrying', message, retryAfterMs: retryMs };
  }
  const how =
    codes.length > 0 ? `with exit code ${codes.filter((code) => code !== 0).join(', ')}` : 'without an exit code';
  const message = `job ${namespace}/${name} failed ${how}; delete it to have it run again`;
  return { kind: 'blocked', reason: 'TaskBlocked', message };
}

function aJob(context: TaskContext, name: string, { namespace, template }: JobTemplate): KubeObject {
  const { feature, transition } = context;
  const about = [
    { name: 'SLIPWAY_GATE', value: feature.spec.gate },
    { name: 'SLIPWAY_TO', value: transition.to },
    { name: 'SLIPWAY_TRANSITION', value: transition.id },
  ];
  const containers = (template.spec.containers as { env?: object[] }[]).map((container) => ({
    ...container,
    env: [...(container.env ?? []), ...about],
  }));
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace, labels: { [labels.transition]: transition.id } },
    // Whether to run again is decided by the exit code, above.
    spec: {
      backoffLimit: 0,
      template: { ...template, spec: { restartPolicy: 'Never', ...template.spec, containers } },
    },
  };
}

function jobName({ feature, transition, task }: TaskContext): string {
  const { namespace, name } = feature.metadata;
  return `slipway-${digest([namespace, name, transition.id, task.name]).slice(0, 12)}`;
}
