import { aCluster } from '@slipway/devcluster/testing/a-cluster';
import { Events } from '@slipway/kube';
import { ManualClock } from '@slipway/kube/testing';
import { type CronJob, cronJobs } from '@slipway/kube-objects/kinds/api/cron-jobs';
import { type Job, jobs } from '@slipway/kube-objects/kinds/api/jobs';
import { until } from '@slipway/kube-objects/testing/until';
import { expect, test } from 'vitest';

const ref = { namespace: 'default', name: 'tick' };

test('a CronJob starts a job when one is due, keeps count of it, and keeps the last ones only', async () => {
  const clock = new ManualClock(Date.UTC(2026, 0, 1));
  await using cluster = await aCluster({ clock });
  const { kube } = cluster;
  const template = {
    metadata: { annotations: { 'sim.slipway.dev/main': 'exit=0,after=1s' } },
    spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'image' }] },
  };
  const spec = {
    schedule: '* * * * *',
    timeZone: 'Asia/Kolkata',
    jobTemplate: { spec: { template } },
    successfulJobsHistoryLimit: 1,
  };
  const metadata = { ...ref };
  await kube
    .resource(cronJobs)
    .create({ apiVersion: 'batch/v1', kind: 'CronJob', metadata, spec } as unknown as CronJob);

  const passing = <T>(what: string, look: () => Promise<T | undefined | false>) =>
    until(what, async () => {
      await clock.advance(500);
      return look();
    });
  const first = await passing('the first job', async () => (await kube.resource(jobs).list()).items[0]);
  expect(first.metadata.name).toBe(`tick-${Date.UTC(2026, 0, 1, 0, 1) / 60_000}`);
  expect(first.metadata.annotations).toMatchObject({
    'batch.kubernetes.io/cronjob-scheduled-timestamp': '2026-01-01T05:31:00+05:30',
  });
  const status = await passing('it to succeed', async () => {
    const { status: now } = await kube.resource(cronJobs).get(ref);
    return now?.lastSuccessfulTime !== undefined && !now.active && now;
  });
  expect(status.lastScheduleTime).toBe('2026-01-01T00:01:00Z');
  await passing('the third run', async () => {
    const { status: now } = await kube.resource(cronJobs).get(ref);
    const { items } = await kube.resource(jobs).list();
    return now?.lastScheduleTime === '2026-01-01T00:03:00Z' && !now.active && items.length === 1;
  });
});

test('a job made from a CronJob by hand is reported, does not count as a run, and does not block one', async () => {
  const clock = new ManualClock(Date.UTC(2026, 0, 1));
  await using cluster = await aCluster({ clock, nodes: 0 });
  const { kube } = cluster;
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'image' }] } };
  const spec = { schedule: '* * * * *', concurrencyPolicy: 'Forbid', jobTemplate: { spec: { template } } };
  const cronJob = await kube
    .resource(cronJobs)
    .create({ apiVersion: 'batch/v1', kind: 'CronJob', metadata: { ...ref }, spec } as unknown as CronJob);
  const owner = { apiVersion: 'batch/v1', kind: 'CronJob', name: 'tick', uid: cronJob.metadata.uid, controller: true };
  await kube.resource(jobs).create({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { namespace: 'default', name: 'by-hand', ownerReferences: [owner] },
    spec: { template },
  } as unknown as Job);
  const event = await until('it to be told', async () => {
    const { items } = await kube.resource(Events).list({ namespace: 'default' });
    return items.find(({ reason }) => reason === 'UnexpectedJob');
  });
  expect(event.message).toBe('Saw a job that the controller did not create or forgot: by-hand');
  const status = await until('the run that was due', async () => {
    await clock.advance(500);
    const { status: now } = await kube.resource(cronJobs).get(ref);
    return now?.lastScheduleTime !== undefined && now;
  });
  expect(status.active?.map(({ name }) => name)).toEqual([`tick-${Date.UTC(2026, 0, 1, 0, 1) / 60_000}`]);
});
