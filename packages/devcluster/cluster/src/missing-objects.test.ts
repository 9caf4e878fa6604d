import { Events, silentLog } from '@slipway/kube';
import { configMaps, secrets } from '@slipway/kube-objects/kinds/api/core';
import { type Pod, type PodSpec, pods } from '@slipway/kube-objects/kinds/api/pods';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Cluster } from './cluster.js';
import { scaledClock } from './scaled-clock.js';
import { startCluster } from './start-cluster.js';

const namespace = 'default';
let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ nodes: 1, log: silentLog, clock: scaledClock(20) });
  await cluster.ready();
}, 30_000);
afterAll(() => cluster?.stop());

async function create(name: string, spec: object): Promise<void> {
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace }, spec: spec as PodSpec };
  await cluster
    .kube()
    .resource(pods)
    .create(pod as Pod);
}

async function reaches(name: string, expected: object): Promise<void> {
  const look = async () => {
    expect((await cluster.kube().resource(pods).get({ namespace, name })).status).toMatchObject(expected);
  };
  await vi.waitFor(look, { timeout: 15_000, interval: 50 });
}

async function events(name: string): Promise<readonly string[]> {
  const { items } = await cluster.kube().resource(Events).list({ namespace });
  const ofPod = items.filter(({ involvedObject }) => involvedObject.name === name);
  return ofPod.map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
}

const waiting = (reason: string, message?: string) => ({ state: { waiting: { reason, ...(message && { message }) } } });
const running = { phase: 'Running', containerStatuses: [{ ready: true }] };

test('a container that needs a key of a ConfigMap is made when the key is there, and others are made before', async () => {
  const env = [{ name: 'V', valueFrom: { configMapKeyRef: { name: 'settings', key: 'level' } } }];
  const image = 'nginx';
  await create('web', {
    containers: [
      { name: 'a', image },
      { name: 'b', image, env },
    ],
  });
  await reaches('web', {
    phase: 'Pending',
    containerStatuses: [{ ready: true }, waiting('CreateContainerConfigError', 'configmap "settings" not found')],
  });
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace } };
  const made = await cluster.kube().resource(configMaps).create(map);
  const message = "couldn't find key level in ConfigMap default/settings";
  await reaches('web', { containerStatuses: [{}, waiting('CreateContainerConfigError', message)] });
  await cluster
    .kube()
    .resource(configMaps)
    .replace({ ...made, data: { level: '1' } });
  await reaches('web', { phase: 'Running', containerStatuses: [{ ready: true }, { ready: true }] });
  expect(await events('web')).toEqual(
    expect.arrayContaining([
      'Warning Failed: Error: configmap "settings" not found',
      `Warning Failed: Error: ${message}`,
    ]),
  );
});

test('a pod that mounts a Secret starts when that is there', async () => {
  await create('db', {
    volumes: [{ name: 'keys', secret: { secretName: 'keys' } }],
    containers: [{ name: 'main', image: 'postgres', volumeMounts: [{ name: 'keys', mountPath: '/keys' }] }],
  });
  await reaches('db', { phase: 'Pending', containerStatuses: [waiting('ContainerCreating')] });
  const why = 'Warning FailedMount: MountVolume.SetUp failed for volume "keys" : secret "keys" not found';
  await vi.waitFor(async () => expect(await events('db')).toContain(why), { timeout: 15_000, interval: 50 });
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'keys', namespace } };
  await cluster.kube().resource(secrets).create(secret);
  await reaches('db', running);
});

test('a pod does not wait for what is optional', async () => {
  const absent = { name: 'absent', optional: true };
  await create('lenient', {
    volumes: [{ name: 'v', configMap: absent }],
    containers: [
      {
        name: 'main',
        image: 'nginx',
        envFrom: [{ configMapRef: absent }, { secretRef: absent }],
        volumeMounts: [{ name: 'v', mountPath: '/v' }],
      },
    ],
  });
  await reaches('lenient', running);
});
