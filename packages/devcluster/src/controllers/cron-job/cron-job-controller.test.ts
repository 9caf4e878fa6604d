import { ManualClock } from '@slipway/kube/testing';
import { expect, test } from 'vitest';
import { type CronJob, cronJobs } from '../api/cron-jobs.js';
import { jobs } from '../api/jobs.js';
import { aCluster } from '../testing/a-cluster.js';
import { until } from '../testing/until.js';

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
