import { findCondition, type Kube, type KubeObject, type ResourceRef, StatusError } from '@slipway/kube';
import type { TaskArgs } from '../api/feature.js';
import { labels } from '../api/group.js';
import { digest } from '../lifecycle/digest.js';
import { blocksAfter } from '../lifecycle/failure.js';
import type { TaskOutcome } from '../lifecycle/task-outcome.js';
import type { Task } from './task.js';
import { argumentProblems } from './task-arguments.js';
import type { TaskContext } from './task-context.js';
import { notConfigured } from './webhook.js';

/** What a job runs. Only the server knows it: no definition names an image or a command. */
export interface JobTemplate {
  readonly namespace: string;
  /** A pod template, as of batch/v1 Job. */
  readonly template: { readonly metadata?: object; readonly spec: KubeObject['spec'] };
}

/** How long a job may run when its task does not say. */
const defaultDeadlineSeconds = 3_600;
/** The longest that a task may say: a week. */
const maxDeadlineSeconds = 604_800;

interface JobArgs {
  /** Which template. */
  readonly name: string;
  /** How long the job may run. 3600 when absent. */
  readonly activeDeadlineSeconds?: number;
}

/** A job of which no container runs after this long is looked into. */
const beginsWithinMs = 60_000;

/** The exit code by which a program asks to be run again later (EX_TEMPFAIL). */
const tryAgain = 75;
const retryMs = 60_000;
const jobs: ResourceRef = { group: 'batch', version: 'v1', kind: 'Job', plural: 'jobs', namespaced: true };
const pods: ResourceRef = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };

/**
 * Runs a Job to its end, one per task and transition: its name says which, so that
 * starting it twice is starting it once. Exit code 0 is done, 75 is run again, any
 * other waits for a person, and so does a job that has no end within its deadline. The
 * program finds what it is about in its environment.
 */
export function jobTask(templates: Readonly<Record<string, JobTemplate>>): Task {
  return {
    kind: 'Job',
    destructive: true,
    check: checkArguments,
    async run(context) {
      const { kube, task, signal } = context;
      const { name: wanted } = task.args as unknown as JobArgs;
      const template = Object.hasOwn(templates, wanted) ? templates[wanted] : undefined;
      if (!template) return notConfigured('job', wanted, Object.keys(templates));
      const client = kube.resource(jobs);
      const ref = { name: jobName(context), namespace: template.namespace };
      let job: KubeObject;
      try {
        const found = await client.find(ref, signal);
        job = found ?? (await client.create(aJob(context, ref.name, template), { signal }));
      } catch (error) {
        const outcome = unmakeable(wanted, template, error);
        if (outcome) return outcome;
        throw error;
      }
      const conditions = job.status?.conditions ?? [];
      if (findCondition(conditions, 'Complete')?.status === 'True') return { kind: 'done' };
      const failure = findCondition(conditions, 'Failed');
      if (failure?.status !== 'True') {
        return await running(context, ref, job);
      }
      if (failure.reason === 'DeadlineExceeded') {
        const message = `job ${ref.namespace}/${ref.name} had no end within ${deadlineOf(context)} s; see to it, then ${deleteCommand(ref)} to have it run again, or raise activeDeadlineSeconds of the task`;
        return { kind: 'blocked', reason: 'TaskFailed', message };
      }
      return await failed(kube, ref, job, signal);
    },
  };
}

function checkArguments(args: TaskArgs): readonly string[] {
  const problems = argumentProblems('Job', args, {
    name: { type: 'text', required: true },
    activeDeadlineSeconds: { type: 'number' },
  });
  const { activeDeadlineSeconds: seconds } = args as Partial<JobArgs>;
  const isInRange =
    seconds === undefined || (Number.isInteger(seconds) && seconds >= 1 && seconds <= maxDeadlineSeconds);
  if (problems.length > 0 || isInRange) return problems;
  return [`activeDeadlineSeconds of Job must be a whole number from 1 to ${maxDeadlineSeconds}, not ${seconds}`];
}

function deadlineOf({ task }: TaskContext): number {
  return (task.args as unknown as JobArgs).activeDeadlineSeconds ?? defaultDeadlineSeconds;
}

/** What it means that a job cannot be made, where that does not go away by itself. */
function unmakeable(name: string, { namespace }: JobTemplate, error: unknown): TaskOutcome | undefined {
  if (!(error instanceof StatusError)) return undefined;
  const where = `job ${name} in the configuration of the feature server`;
  if (error.code === 404) {
    const message = `namespace ${namespace} of ${where} does not exist: kubectl create namespace ${namespace}, or name another`;
    return { kind: 'failed', message, blocksAfter: blocksAfter.certain };
  }
  if (error.code !== 400 && error.code !== 422) return undefined;
  const message = `the API server rejects the template of ${where}, which must be corrected: ${error.message}`;
  return { kind: 'failed', message, blocksAfter: blocksAfter.certain };
}

/** A job that goes on, or one that does not begin and will not by itself. */
async function running(
  { kube, clock, signal }: TaskContext,
  { name, namespace }: JobRef,
  { metadata: { creationTimestamp = '' } }: KubeObject,
): Promise<TaskOutcome> {
  const message = `job ${namespace}/${name} runs`;
  const isYoung = !(clock.now() - Date.parse(creationTimestamp) >= beginsWithinMs);
  const why = isYoung ? undefined : whyNotBegun(await podsOf(kube, name, namespace, signal));
  if (why === undefined) return { kind: 'waiting', reason: 'Running', message, retryAfterMs: 2_000 };
  const fix = `kubectl -n ${namespace} describe job ${name}`;
  return {
    kind: 'blocked',
    reason: 'TaskFailed',
    message: `job ${namespace}/${name} does not begin: ${why}; ${fix}`,
    retryAfterMs: 10_000,
  };
}

/** Why containers wait that do not come to run by waiting. */
const stuckReasons =
  /^(ImagePullBackOff|ErrImagePull|ErrImageNeverPull|InvalidImageName|CreateContainer(Config)?Error)$/;

function whyNotBegun(all: readonly KubeObject[]): string | undefined {
  if (all.length === 0) return 'no pod of it could be created';
  for (const { metadata, status } of all) {
    const states = (status?.containerStatuses ?? []) as readonly ContainerState[];
    const waiting = states.find(({ state }) => stuckReasons.test(state?.waiting?.reason ?? ''))?.state?.waiting;
    if (waiting)
      return `pod ${metadata.name} waits: ${waiting.reason}${waiting.message ? ` (${waiting.message})` : ''}`;
  }
  return undefined;
}

interface ContainerState {
  readonly state?: {
    readonly waiting?: { readonly reason?: string; readonly message?: string };
    readonly terminated?: { readonly exitCode: number };
  };
}

interface JobRef {
  readonly name: string;
  readonly namespace: string;
}

async function podsOf(kube: Kube, name: string, namespace: string, signal: AbortSignal) {
  const labelSelector = `batch.kubernetes.io/job-name=${name}`;
  return (await kube.resource(pods).list({ namespace, labelSelector, signal })).items;
}

async function failed(
  kube: Kube,
  { name, namespace }: JobRef,
  { metadata: { uid } }: KubeObject,
  signal: AbortSignal,
): Promise<TaskOutcome> {
  const codes = (await podsOf(kube, name, namespace, signal)).flatMap(({ status }) =>
    ((status?.containerStatuses ?? []) as readonly ContainerState[]).flatMap(
      ({ state }) => state?.terminated?.exitCode ?? [],
    ),
  );
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
  const message = `job ${namespace}/${name} failed ${how}; to have it run again: ${deleteCommand({ name, namespace })}`;
  return { kind: 'blocked', reason: 'TaskFailed', message };
}

function deleteCommand({ name, namespace }: JobRef): string {
  return `kubectl -n ${namespace} delete job ${name}`;
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
      activeDeadlineSeconds: deadlineOf(context),
      template: { ...template, spec: { restartPolicy: 'Never', ...template.spec, containers } },
    },
  };
}

function jobName({ feature, transition, task }: TaskContext): string {
  const { namespace, name } = feature.metadata;
  return `slipway-${digest([namespace, name, transition.id, task.name]).slice(0, 12)}`;
}
