import { failureStatus, Kube, type KubeObject, StatusError, type Transport } from '@slipway/kube';
import { inMemoryApi, ManualClock } from '@slipway/kube/testing';
import { expect, test } from 'vitest';
import type { TaskArgs } from '../api/feature.js';
import { aDefinition } from '../testing/a-situation.js';
import { aTaskContext } from '../testing/a-task-context.js';
import { jobTask } from './job.js';

const jobs = { group: 'batch', plural: 'jobs' };
const template = {
  namespace: 'ops',
  template: { spec: { containers: [{ name: 'main', image: 'drain', env: [{ name: 'A' }] }] } },
};

function aJobRun(args: TaskArgs = {}, refusal?: StatusError) {
  const clock = new ManualClock();
  const api = inMemoryApi({ clock });
  const transport: Transport = {
    request: async (request) => {
      if (refusal && request.method === 'POST') throw refusal;
      return api.request(request);
    },
    stream: (request, signal) => api.stream(request, signal),
  };
  const context = aTaskContext(
    { kind: 'Job', args: { name: 'drain', ...args } },
    { kube: new Kube(transport, { clock }), clock },
  );
  const run = () => jobTask({ drain: template }).run(context);
  const job = () => api.stored(jobs)[0] as KubeObject;
  /** What the job controller and the kubelet would write. */
  const end = (type: 'Complete' | 'Failed', exitCode: number, reason = 'BackoffLimitExceeded') => {
    api.seed(jobs, { ...job(), status: { conditions: [{ type, status: 'True', reason }] } });
    const metadata = {
      name: 'pod',
      namespace: 'ops',
      labels: { 'batch.kubernetes.io/job-name': job().metadata.name ?? '' },
    };
    const status = { containerStatuses: [{ state: { terminated: { exitCode } } }] };
    api.seed({ group: '', plural: 'pods' }, { apiVersion: 'v1', kind: 'Pod', metadata, status });
  };
  return { api, clock, run, job, end };
}

test('jobTask() makes one Job however often it is run, told what it is about', async () => {
  const { api, run, job, end } = aJobRun();
  expect(await run()).toMatchObject({ kind: 'waiting', reason: 'Running' });
  expect(await run()).toMatchObject({ kind: 'waiting', reason: 'Running' });
  expect(api.stored(jobs)).toHaveLength(1);
  expect(job().metadata.namespace).toBe('ops');
  expect(job().spec).toMatchObject({ backoffLimit: 0, template: { spec: { restartPolicy: 'Never' } } });
  expect(job().spec.template.spec.containers[0].env).toEqual([
    { name: 'A' },
    { name: 'SLIPWAY_GATE', value: 'Widgets' },
    { name: 'SLIPWAY_TO', value: 'Off' },
    { name: 'SLIPWAY_TRANSITION', value: '4-abcd' },
  ]);
  end('Complete', 0);
  expect(await run()).toEqual({ kind: 'done' });
});

test('jobTask() runs a program again that asks for it by exit code 75', async () => {
  const { api, run, end } = aJobRun();
  await run();
  end('Failed', 75);
  expect(await run()).toMatchObject({ kind: 'waiting', reason: 'Retrying', retryAfterMs: 60_000 });
  expect(api.stored(jobs)).toEqual([]);
  expect(await run()).toMatchObject({ kind: 'waiting', reason: 'Running' });
});

test('jobTask() leaves any other failure to a person', async () => {
  const { api, run, end } = aJobRun();
  await run();
  end('Failed', 3);
  expect(await run()).toMatchObject({
    kind: 'blocked',
    reason: 'TaskFailed',
    message: expect.stringContaining('with exit code 3'),
  });
  expect(api.stored(jobs)).toHaveLength(1);
});

// what the task says | how long the job may run
test.each<[TaskArgs, number]>([
  [{}, 3_600],
  [{ activeDeadlineSeconds: 60 }, 60],
])(
  'jobTask() gives a job of %j a deadline of %d s, and leaves one that exceeds it to a person',
  async (args, seconds) => {
    const { run, job, end } = aJobRun(args);
    await run();
    expect(job().spec.activeDeadlineSeconds).toBe(seconds);
    end('Failed', 143, 'DeadlineExceeded');
    const message = expect.stringContaining(`had no end within ${seconds} s`);
    expect(await run()).toMatchObject({ kind: 'blocked', reason: 'TaskFailed', message });
  },
);

test.each([0, 1.5, 604_801, Number.NaN])('jobTask() has a definition rejected whose deadline is %d', (seconds) => {
  const problems = jobTask({}).check?.({ name: 'drain', activeDeadlineSeconds: seconds }, aDefinition);
  expect(problems).toEqual([expect.stringContaining('must be a whole number from 1 to 604800')]);
});

const refused = (code: number, message: string) => new StatusError(failureStatus({ code, message }));
// what the API server answers | what the outcome says
test.each<[StatusError, RegExp]>([
  [
    refused(404, 'namespaces "ops" not found'),
    /namespace ops of job drain .* does not exist: kubectl create namespace ops/,
  ],
  [refused(422, 'spec.containers[0].image: Required value'), /template of job drain .* must be corrected: .*image/],
  [refused(400, 'cannot decode'), /must be corrected: cannot decode/],
])('jobTask() tells a person at once of a job that cannot be made: %s', async (refusal, message) => {
  const outcome = await aJobRun({}, refusal).run();
  expect(outcome).toMatchObject({ kind: 'failed', blocksAfter: 1, message: expect.stringMatching(message) });
});

test('jobTask() leaves other refusals to whoever runs it', async () => {
  await expect(aJobRun({}, refused(503, 'away')).run()).rejects.toThrow('away');
});

const waiting = (reason: string) => ({
  containerStatuses: [{ state: { waiting: { reason, message: 'no such tag' } } }],
});
// how old the job is, in ms | its pod, if it has one | what is told
test.each<[number, object | undefined, string, string]>([
  [59_000, undefined, 'Running', 'runs'],
  [60_000, undefined, 'TaskFailed', 'does not begin: no pod of it could be created; kubectl -n ops describe'],
  [60_000, waiting('ImagePullBackOff'), 'TaskFailed', 'pod main waits: ImagePullBackOff (no such tag)'],
  [60_000, waiting('CreateContainerConfigError'), 'TaskFailed', 'pod main waits: CreateContainerConfigError'],
  [60_000, waiting('ContainerCreating'), 'Running', 'runs'],
  [60_000, { containerStatuses: [{ state: { running: {} } }] }, 'Running', 'runs'],
  [60_000, { phase: 'Pending' }, 'Running', 'runs'],
])('jobTask() %d ms after a job was made whose pod is %j', async (ageMs, status, reason, message) => {
  const { api, clock, run, job } = aJobRun();
  await run();
  if (status) {
    const labels = { 'batch.kubernetes.io/job-name': job().metadata.name ?? '' };
    const metadata = { name: 'main', namespace: 'ops', labels };
    api.seed({ group: '', plural: 'pods' }, { apiVersion: 'v1', kind: 'Pod', metadata, status });
  }
  await clock.advance(ageMs);
  expect(await run()).toMatchObject({ reason, message: expect.stringContaining(message) });
});

test('jobTask() starts nothing that its own configuration does not name', async () => {
  const { api } = aJobRun();
  const context = aTaskContext({ kind: 'Job', args: { name: 'other' } }, { kube: new Kube(api) });
  expect(await jobTask({ drain: template }).run(context)).toMatchObject({ kind: 'blocked', reason: 'NotConfigured' });
  expect(api.stored(jobs)).toEqual([]);
});
