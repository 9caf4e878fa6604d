import { Events, type KubeObject, type ResourceRef, silentLog } from '@slipway/kube';
import { serviceAccounts } from '@slipway/kube-objects/kinds/api/core';
import { cronJobs } from '@slipway/kube-objects/kinds/api/cron-jobs';
import { type Job, jobs } from '@slipway/kube-objects/kinds/api/jobs';
import { expect, test, vi } from 'vitest';
import { startCluster } from './start-cluster.js';
import { SettableClock } from './testing/settable-clock.js';

// Hours pass in here, beside all other tests of the machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** A cluster of one node whose wall clock can be set. */
async function aCluster() {
  const clock = new SettableClock();
  const cluster = await startCluster({ nodes: 1, log: silentLog, clock });
  await cluster.ready();
  return { clock, cluster, kube: cluster.kube(), [Symbol.asyncDispose]: () => cluster.stop() };
}

const podTemplate = {
  metadata: { annotations: { 'sim.slipway.dev/main': 'exit=0,after=1s' } },
  spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'registry.example/job:1' }] },
};

test.each([
  ['forward', 20 * minuteMs],
  ['back', -20 * minuteMs],
])(
  'a wall clock that is set %s by 20 minutes: no run of a CronJob comes twice, and they go on',
  async (_where, byMs) => {
    await using at = await aCluster();
    const { kube, cluster, clock } = at;
    const spec = {
      schedule: '*/5 * * * *',
      successfulJobsHistoryLimit: 100,
      jobTemplate: { spec: { template: podTemplate } },
    };
    const metadata = { name: 'often', namespace: 'default' };
    await kube.resource(cronJobs).create({ apiVersion: 'batch/v1', kind: 'CronJob', metadata, spec } as never);
    const dueAt = async () => (await kube.resource(jobs).list({ namespace: 'default' })).items.map(dueOf).sort();
    await cluster.advance(7 * minuteMs);
    const before = await dueAt();
    expect(before).toHaveLength(1);
    clock.set(byMs);
    await cluster.advance(25 * minuteMs);

    const after = await dueAt();
    expect(after).toEqual([...new Set(after)]);
    expect(after.slice(0, 1)).toEqual(before);
    // Forward, the last of those that were missed makes up for all of them; back, time has to come by again.
    expect(after).toHaveLength(byMs > 0 ? 6 : 2);
    // Time for the last one, which may have just begun.
    await cluster.advance(minuteMs);
    const { items } = await kube.resource(jobs).list({ namespace: 'default' });
    expect(items.every(({ status }) => status?.succeeded === 1)).toBe(true);
  },
);

test.each([
  ['forward', hourMs],
  ['back', -hourMs],
])(
  'a wall clock that is set %s by an hour: what is to go after a while goes, within that hour',
  async (_where, byMs) => {
    await using at = await aCluster();
    const { kube, cluster, clock } = at;
    const make = (name: string) =>
      kube.resource(jobs).create({
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { name, namespace: 'default' },
        spec: { ttlSecondsAfterFinished: 600, template: podTemplate },
      } as never);
    const left = async (of: ResourceRef) => (await kube.resource(of).list({ namespace: 'default' })).items.map(nameOf);
    await make('before');
    await cluster.advance(2 * minuteMs);
    const events = await left(Events);
    expect(events.length).toBeGreaterThan(0);
    clock.set(byMs);
    await make('after');
    await cluster.advance(5 * minuteMs);
    expect(await left(jobs)).toContain('after');
    await cluster.advance(10 * minuteMs);
    expect(await left(jobs)).not.toContain('after');
    await cluster.advance(60 * minuteMs);
    expect(await left(jobs)).toEqual([]);
    await cluster.advance(60 * minuteMs);
    expect((await left(Events)).filter((name) => events.includes(name))).toEqual([]);
  },
);

test.each([
  ['forward', hourMs, 'has expired'],
  ['back', -hourMs, 'is not valid yet'],
])(
  'a wall clock that is set %s by an hour: tokens mean the time they say, and a new one is good at once',
  async (_where, byMs, why) => {
    await using at = await aCluster();
    const { kube, cluster, clock } = at;
    await kube
      .resource(serviceAccounts)
      .create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'bot', namespace: 'default' } });
    const aToken = async () => {
      const { body } = await kube.transport.request({
        method: 'POST',
        path: '/api/v1/namespaces/default/serviceaccounts/bot/token',
        body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3_500 } },
      });
      return (body as { status: { token: string } }).status.token;
    };
    const bearerIs = async (token: string) => {
      const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } };
      const { body } = await kube.transport.request({
        method: 'POST',
        path: '/apis/authentication.k8s.io/v1/tokenreviews',
        body: review,
      });
      return (body as { status: { user?: { username?: string }; error?: string } }).status;
    };
    const old = await aToken();
    expect((await bearerIs(old)).user?.username).toBe('system:serviceaccount:default:bot');
    clock.set(byMs);
    await cluster.advance(1_000);
    expect((await bearerIs(old)).error).toContain(`service account token ${why}`);
    expect((await bearerIs(await aToken())).user?.username).toBe('system:serviceaccount:default:bot');
  },
);

/** The moment a job was due at, in seconds, as its annotation has it. */
function dueOf({ metadata }: Job): string {
  return metadata.annotations?.['batch.kubernetes.io/cronjob-scheduled-timestamp'] ?? '';
}

function nameOf({ metadata }: KubeObject): string {
  return metadata.name ?? '';
}
