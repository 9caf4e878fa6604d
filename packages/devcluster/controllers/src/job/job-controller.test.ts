import { aCluster } from '@slipway/devcluster/testing/a-cluster';
import type { Kube } from '@slipway/kube';
import { type Job, jobs } from '@slipway/kube-objects/kinds/api/jobs';
import { pods } from '@slipway/kube-objects/kinds/api/pods';
import { until } from '@slipway/kube-objects/testing/until';
import { expect, test } from 'vitest';
import { tracking } from './count-pods.js';
import { holding } from './job-conditions.js';

const ref = { namespace: 'default', name: 'work' };

/** A job whose container ends as told; what is not said here the server fills in. */
async function create(kube: Kube, exit: string | undefined, spec: Partial<Job['spec']> = {}): Promise<void> {
  const template = {
    metadata: { ...(exit && { annotations: { 'sim.slipway.dev/main': exit } }) },
    spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'image' }] },
  };
  const metadata = { namespace: 'default', name: 'work' };
  const job = { apiVersion: 'batch/v1', kind: 'Job', metadata, spec: { template, ...spec } };
  await kube.resource(jobs).create(job as unknown as Job);
}

const ended = (kube: Kube, type: 'Complete' | 'Failed') =>
  until(`the job to be ${type}`, async () => {
    const job = await kube.resource(jobs).get(ref);
    return holding(job, type) && job;
  });
const ownPods = async (kube: Kube) => (await kube.resource(pods).list()).items;
const isHeld = ({ metadata }: { metadata: { finalizers?: string[] } }) => metadata.finalizers?.includes(tracking);

test('a Job runs as many pods at once as it may until enough succeeded, and lets them go', async () => {
  await using cluster = await aCluster();
  const { kube } = cluster;
  await create(kube, 'exit=0,after=10ms', { completions: 5, parallelism: 2 });
  const job = await ended(kube, 'Complete');
  expect(job.status).toMatchObject({ succeeded: 5, ready: 0, terminating: 0, uncountedTerminatedPods: {} });
  expect(job.status?.conditions?.map(({ type }) => type)).toEqual(['SuccessCriteriaMet', 'Complete']);
  expect(job.status).not.toHaveProperty('active');
  expect(job.status?.completionTime).toBeDefined();
  const left = await ownPods(kube);
  expect([left.length, left.some(isHeld)]).toEqual([5, false]);
});

test('a Job fails when more pods failed than it allows, and counts those that are taken away', async () => {
  await using cluster = await aCluster();
  const { kube } = cluster;
  await create(kube, 'exit=1,after=10ms', { backoffLimit: 0 });
  const job = await ended(kube, 'Failed');
  expect(job.status).toMatchObject({ failed: 1 });
  expect(holding(job, 'Failed')).toMatchObject({
    reason: 'BackoffLimitExceeded',
    message: 'Job has reached the specified backoff limit',
  });
});

test('a pod that a user deletes counts as failed once, and is replaced', async () => {
  // One that had stopped already when the controller looks would count as succeeded.
  await using cluster = await aCluster({ delays: { stopMs: 200 } });
  const { kube } = cluster;
  await create(kube, undefined);
  const [pod] = await until('a pod that runs', async () => {
    const running = (await ownPods(kube)).filter(({ status }) => status?.phase === 'Running');
    return running.length > 0 && running;
  });
  await kube.resource(pods).delete({ namespace: 'default', name: pod?.metadata.name ?? '' });
  const job = await until('the count', async () => {
    const now = await kube.resource(jobs).get(ref);
    return now.status?.failed === 1 && now.status.active === 1 && now;
  });
  expect(job.status?.uncountedTerminatedPods).toEqual({});
});

test('a suspended Job runs nothing until it is resumed', async () => {
  await using cluster = await aCluster();
  const { kube } = cluster;
  await create(kube, 'exit=0,after=10ms', { suspend: true });
  await until('it to say so', async () => holding(await kube.resource(jobs).get(ref), 'Suspended'));
  expect(await ownPods(kube)).toEqual([]);
  await kube.resource(jobs).merge(ref, { spec: { suspend: false } });
  expect((await ended(kube, 'Complete')).status?.conditions?.[0]).toMatchObject({
    type: 'Suspended',
    status: 'False',
    reason: 'JobResumed',
  });
});

test('a Job that ran for too long fails, and one whose time is over goes with its pods', async () => {
  await using cluster = await aCluster();
  const { kube } = cluster;
  await create(kube, undefined, { activeDeadlineSeconds: 1 });
  const job = await ended(kube, 'Failed');
  expect(job.status?.conditions?.at(-1)).toMatchObject({ type: 'Failed', reason: 'DeadlineExceeded' });
  await kube.resource(jobs).merge(ref, { spec: { ttlSecondsAfterFinished: 0 } });
  await until(
    'job and pods to go',
    async () => !(await kube.resource(jobs).find(ref)) && (await ownPods(kube)).length === 0,
  );
});

test('deleting a Job leaves no pod behind that waits to be counted', async () => {
  await using cluster = await aCluster();
  const { kube } = cluster;
  await create(kube, undefined, { parallelism: 3, completions: 3 });
  await until('its pods', async () => (await ownPods(kube)).length === 3);
  await kube.resource(jobs).delete(ref, { propagationPolicy: 'Background' });
  await until('its pods to go', async () => (await ownPods(kube)).length === 0);
});
