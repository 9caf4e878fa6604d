import { Kube, type KubeObject } from '@slipway/kube';
import { inMemoryApi } from '@slipway/kube/testing';
import { expect, test } from 'vitest';
import { aTaskContext } from '../testing/a-task-context.js';
import { jobTask } from './job.js';

const jobs = { group: 'batch', plural: 'jobs' };
const template = {
  namespace: 'ops',
  template: { spec: { containers: [{ name: 'main', image: 'drain', env: [{ name: 'A' }] }] } },
};

function aJobRun() {
  const api = inMemoryApi();
  const context = aTaskContext({ kind: 'Job', args: { name: 'drain' } }, { kube: new Kube(api) });
  const run = () => jobTask({ drain: template }).run(context);
  const job = () => api.stored(jobs)[0] as KubeObject;
  /** What the job controller and the kubelet would write. */
  const end = (type: 'Complete' | 'Failed', exitCode: number) => {
    api.seed(jobs, { ...job(), status: { conditions: [{ type, status: 'True' }] } });
    const metadata = {
      name: 'pod',
      namespace: 'ops',
      labels: { 'batch.kubernetes.io/job-name': job().metadata.name ?? '' },
    };
    const status = { containerStatuses: [{ state: { terminated: { exitCode } } }] };
    api.seed({ group: '', plural: 'pods' }, { apiVersion: 'v1', kind: 'Pod', metadata, status });
  };
  return { api, run, job, end };
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
    reason: 'TaskBlocked',
    message: expect.stringContaining('with exit code 3'),
  });
  expect(api.stored(jobs)).toHaveLength(1);
});

test('jobTask() starts nothing that its own configuration does not name', async () => {
  const { api } = aJobRun();
  const context = aTaskContext({ kind: 'Job', args: { name: 'other' } }, { kube: new Kube(api) });
  expect(await jobTask({ drain: template }).run(context)).toMatchObject({ kind: 'blocked', reason: 'NotConfigured' });
  expect(api.stored(jobs)).toEqual([]);
});
