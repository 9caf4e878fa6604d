import { inprocTransport } from '@slipway/api-server/transport/inproc-transport';
import { admin, aServer, named } from '@slipway/devcluster/testing/a-server';
import { Kube, type KubeObject, Manager, StatusError, silentLog } from '@slipway/kube';
import { configMaps } from '@slipway/kube-objects/kinds/api/core';
import { jobs } from '@slipway/kube-objects/kinds/api/jobs';
import { pods } from '@slipway/kube-objects/kinds/api/pods';
import { type ResourceQuota, resourceQuotas } from '@slipway/kube-objects/kinds/api/resource-quotas';
import { until } from '@slipway/kube-objects/testing/until';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { resourceQuotaController } from './resource-quota-controller.js';

let server: Awaited<ReturnType<typeof aServer>>;
let kube: Kube;
let manager: Manager;
beforeEach(async () => {
  server = await aServer();
  kube = new Kube(inprocTransport(server.api, admin));
  manager = new Manager({ kube, log: silentLog });
  for (const member of resourceQuotaController({ kube, log: silentLog, informers: manager.informers }))
    manager.add(member);
  await manager.start();
});
afterEach(() => manager.stop());

const namespace = 'default';
const quotaNow = () => kube.resource(resourceQuotas).get({ namespace, name: 'q' });

/** Makes a quota and waits until it is in force. */
async function limit(hard: Record<string, string>): Promise<void> {
  const quota = {
    ...named('ResourceQuota', 'q', { spec: { hard } }),
    metadata: { name: 'q', namespace },
  } as ResourceQuota;
  await kube.resource(resourceQuotas).create(quota);
  await until('the quota to be in force', async () => (await quotaNow()).status?.hard !== undefined);
}

const usedOf = (used: Record<string, string>) =>
  until(`${JSON.stringify(used)} to be used`, async () => {
    const { status } = await quotaNow();
    return JSON.stringify(status?.used) === JSON.stringify(used);
  });

const aConfigMap = (name: string): KubeObject => ({ ...named('ConfigMap', name), metadata: { name, namespace } });

async function outcome(write: Promise<unknown>): Promise<string> {
  try {
    await write;
    return 'done';
  } catch (error) {
    if (error instanceof StatusError) return error.message;
    throw error;
  }
}

test('of many who want the last places, as many as there are get one', async () => {
  await limit({ 'count/configmaps': '5' });
  const client = kube.resource(configMaps);
  const outcomes = await Promise.all(Array.from({ length: 20 }, (_, n) => outcome(client.create(aConfigMap(`c${n}`)))));
  expect(outcomes.filter((one) => one === 'done')).toHaveLength(5);
  expect(new Set(outcomes.filter((one) => one !== 'done').map((one) => one.replace(/"c\d+"/, '"c"')))).toEqual(
    new Set([
      'configmaps "c" is forbidden: exceeded quota: q, requested: count/configmaps=1, used: count/configmaps=5, limited: count/configmaps=5',
    ]),
  );
  expect((await quotaNow()).status?.used).toEqual({ 'count/configmaps': '5' });
});

test('what is deleted is given back', async () => {
  await limit({ configmaps: '1' });
  const client = kube.resource(configMaps);
  await client.create(aConfigMap('a'));
  expect(await outcome(client.create(aConfigMap('b')))).toContain('exceeded quota');
  await client.delete({ namespace, name: 'a' });
  await usedOf({ configmaps: '0' });
  expect(await outcome(client.create(aConfigMap('b')))).toBe('done');
});

test('what was there before counts, and more may be allowed later', async () => {
  const client = kube.resource(configMaps);
  await client.create(aConfigMap('a'));
  await client.create(aConfigMap('b'));
  await limit({ configmaps: '1' });
  expect((await quotaNow()).status).toEqual({ hard: { configmaps: '1' }, used: { configmaps: '2' } });
  await kube.resource(resourceQuotas).merge({ namespace, name: 'q' }, { spec: { hard: { configmaps: '3' } } });
  await until('the new limit to be in force', async () => (await quotaNow()).status?.hard?.configmaps === '3');
  expect(await outcome(client.create(aConfigMap('c')))).toBe('done');
});

test('a pod that has ended gives back what it asked for, and keeps its place among objects', async () => {
  await limit({ 'requests.cpu': '1', pods: '9', 'count/pods': '9' });
  const containers = [{ name: 'main', image: 'a', resources: { requests: { cpu: '1' } } }];
  const client = kube.resource(pods);
  await client.create({ ...named('Pod', 'p', { spec: { containers } }), metadata: { name: 'p', namespace } } as never);
  expect((await quotaNow()).status?.used).toEqual({ 'requests.cpu': '1', pods: '1', 'count/pods': '1' });
  const { body } = await server.ask('GET', '/api/v1/namespaces/default/pods/p');
  await server.ask('PUT', '/api/v1/namespaces/default/pods/p/status', {
    ...body,
    status: { ...body.status, phase: 'Succeeded' },
  });
  await usedOf({ 'requests.cpu': '0', pods: '0', 'count/pods': '1' });
});

test('any resource can be counted', async () => {
  await limit({ 'count/jobs.batch': '0', 'count/nopes.example.com': '1' });
  const template = { spec: { containers: [{ name: 'a', image: 'a' }], restartPolicy: 'Never' } };
  const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'j', namespace }, spec: { template } };
  expect(await outcome(kube.resource(jobs).create(job as never))).toContain('limited: count/jobs.batch=0');
  expect((await quotaNow()).status?.used).toEqual({ 'count/jobs.batch': '0', 'count/nopes.example.com': '0' });
});

test('a dry run is refused as the write would be, and charges nothing', async () => {
  await limit({ configmaps: '1' });
  const path = '/api/v1/namespaces/default/configmaps';
  expect((await server.ask('POST', `${path}?dryRun=All`, named('ConfigMap', 'a'))).status).toBe(201);
  expect((await quotaNow()).status?.used).toEqual({ configmaps: '0' });
  await server.ask('POST', path, named('ConfigMap', 'a'));
  expect((await server.ask('POST', `${path}?dryRun=All`, named('ConfigMap', 'b'))).status).toBe(403);
});

test('a write that is refused for another reason charges nothing', async () => {
  await limit({ configmaps: '3' });
  const path = '/api/v1/namespaces/default/configmaps';
  await server.ask('POST', path, named('ConfigMap', 'a'));
  expect((await server.ask('POST', path, named('ConfigMap', 'a'))).status).toBe(409);
  expect((await server.ask('POST', path, named('ConfigMap', 'Not Valid'))).status).toBe(422);
  expect((await quotaNow()).status?.used).toEqual({ configmaps: '1' });
});
