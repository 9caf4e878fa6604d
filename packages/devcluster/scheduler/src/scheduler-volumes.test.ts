import { aCluster } from '@slipway/devcluster/testing/a-cluster';
import { Events, type Kube } from '@slipway/kube';
import { ManualClock } from '@slipway/kube/testing';
import { type Pod, pods } from '@slipway/kube-objects/kinds/api/pods';
import {
  type PersistentVolumeClaim,
  persistentVolumeClaims,
  persistentVolumes,
  storageClasses,
} from '@slipway/kube-objects/kinds/api/volumes';
import { selectedNode } from '@slipway/kube-objects/rules/well-known';
import { until } from '@slipway/kube-objects/testing/until';
import { expect, test } from 'vitest';
import { at, nodeOf, says } from './testing/placed-pods.js';

const namespace = 'default';

const makeClass = (kube: Kube, provisioner = 'kubernetes.io/no-provisioner') =>
  kube.resource(storageClasses).create({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'late' },
    provisioner,
    volumeBindingMode: 'WaitForFirstConsumer',
  });

const makeVolume = (kube: Kube, name: string, node: string, more: object = {}) =>
  kube.resource(persistentVolumes).create({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'late',
      local: { path: '/disks/1' },
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [node] }] },
          ],
        },
      },
      ...more,
    },
  });

const makeClaim = (kube: Kube, name: string, mode = 'ReadWriteOnce') =>
  kube.resource(persistentVolumeClaims).create({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: at(name),
    spec: { storageClassName: 'late', accessModes: [mode], resources: { requests: { storage: '1Gi' } } },
  });

const makePod = (kube: Kube, name: string, claimName = name) => {
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName } }];
  const spec = { containers: [{ name: 'main', image: 'image' }], volumes };
  return kube.resource(pods).create({ apiVersion: 'v1', kind: 'Pod', metadata: at(name), spec } as Pod);
};

const claimOf = (kube: Kube, name: string) => kube.resource(persistentVolumeClaims).get(at(name));

test('Scheduler lets a pod wait for a local volume, and gives it the node that has one, and the volume', async () => {
  const clock = new ManualClock();
  await using cluster = await aCluster({ clock });
  const { kube } = cluster;
  await makeClass(kube);
  await makeClaim(kube, 'p');
  await makePod(kube, 'p');
  await says(kube, 'p', "0/2 nodes are available: 2 node(s) didn't find available persistent volumes to bind.");
  await makeVolume(kube, 'v', 'n2');
  expect(await nodeOf(kube, 'p', clock)).toBe('n2');
  expect((await claimOf(kube, 'p')).spec.volumeName).toBe('v');
});

test('Scheduler gives pods that come at once a volume each', async () => {
  await using cluster = await aCluster();
  const { kube } = cluster;
  await makeClass(kube);
  const names = ['a', 'b', 'c', 'd'];
  for (const [index, name] of names.entries()) await makeVolume(kube, `v-${name}`, `n${1 + (index % 2)}`);
  for (const name of names) await makeClaim(kube, name);
  await Promise.all(names.map((name) => makePod(kube, name)));
  const nodes = await Promise.all(names.map((name) => nodeOf(kube, name)));
  const volumes = await Promise.all(names.map(async (name) => (await claimOf(kube, name)).spec.volumeName));
  expect(new Set(volumes).size).toBe(names.length);
  const reached = volumes.map((volume) => (names.indexOf(volume?.slice(2) ?? '') % 2 === 0 ? 'n1' : 'n2'));
  expect(nodes).toEqual(reached);
});

/** A claim for which a node was chosen; time passes meanwhile. */
const isChosen = (kube: Kube, name: string, clock: ManualClock) =>
  until('a node is chosen', async () => {
    await clock.advance(500);
    const claim = await claimOf(kube, name);
    return claim.metadata.annotations?.[selectedNode] ? claim : undefined;
  });

/** Makes the volume of a claim, as a provisioner of its own would. */
async function provision(kube: Kube, { metadata }: PersistentVolumeClaim): Promise<void> {
  const { name = '', uid = '' } = metadata;
  const claimRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid };
  await makeVolume(kube, 'made', metadata.annotations?.[selectedNode] ?? '', { claimRef });
}

test('Scheduler waits until a volume is made for the node, and looks anew when that has failed', async () => {
  const clock = new ManualClock();
  await using cluster = await aCluster({ clock });
  const { kube } = cluster;
  await makeClass(kube, 'example.com/disks');
  await makeClaim(kube, 'p');
  await makePod(kube, 'p');
  await isChosen(kube, 'p', clock);
  await kube.resource(persistentVolumeClaims).merge(at('p'), { metadata: { annotations: { [selectedNode]: null } } });
  const failed = 'running PreBind plugin "VolumeBinding": binding volumes: provisioning failed for PVC "p"';
  expect(await says(kube, 'p', failed)).toMatchObject({ reason: 'SchedulerError' });
  const claim = await isChosen(kube, 'p', clock);
  expect((await kube.resource(pods).get(at('p'))).spec.nodeName).toBeUndefined();
  await provision(kube, claim);
  expect(await nodeOf(kube, 'p', clock)).toBe(claim.metadata.annotations?.[selectedNode]);
});

test('Scheduler waits no longer for the volume of a pod that is deleted, and it is for the next pod of the claim', async () => {
  const clock = new ManualClock();
  await using cluster = await aCluster({ clock });
  const { kube } = cluster;
  await makeClass(kube, 'example.com/disks');
  await makeClaim(kube, 'data');
  await makePod(kube, 'first', 'data');
  const claim = await isChosen(kube, 'data', clock);
  await kube.resource(pods).delete(at('first'));
  await makePod(kube, 'second', 'data');
  await provision(kube, claim);
  expect(await nodeOf(kube, 'second', clock)).toBe(claim.metadata.annotations?.[selectedNode]);
  const { items } = await kube.resource(Events).list();
  expect(items.filter(({ reason }) => reason === 'FailedScheduling')).toEqual([]);
});

test('Scheduler gives a claim of one pod only to one pod of the cluster', async () => {
  const clock = new ManualClock();
  await using cluster = await aCluster({ clock });
  const { kube } = cluster;
  await makeClass(kube);
  await makeVolume(kube, 'v', 'n1', { accessModes: ['ReadWriteOncePod'] });
  await makeClaim(kube, 'data', 'ReadWriteOncePod');
  await makePod(kube, 'first', 'data');
  await nodeOf(kube, 'first', clock);
  await makePod(kube, 'second', 'data');
  const words = 'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use';
  await says(kube, 'second', `2 ${words}`);
  await kube.resource(pods).delete(at('first'), { gracePeriodSeconds: 0 });
  expect(await nodeOf(kube, 'second', clock)).toBe('n1');
});
