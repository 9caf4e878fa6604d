import { aServer } from '@slipway/devcluster/testing/a-server';
import { expect, test } from 'vitest';
import { builtInAdmission } from './built-in-admission.js';

const claims = '/api/v1/namespaces/default/persistentvolumeclaims';
const forbidden = 'persistentvolumeclaims "data" is forbidden';
const invalid = 'PersistentVolumeClaim "data" is invalid';
const byClass =
  'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize';
const immutable =
  'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';
const shrunk = 'spec.resources.requests.storage: Forbidden: field can not be less than status.capacity';

/** A server with a class whose volumes grow and one whose do not, and a claim of 2Gi that got 2Gi where it is bound. */
async function setUp(more: { spec?: object; annotations?: Record<string, string>; phase?: string }) {
  const { ask } = await aServer(undefined, builtInAdmission());
  for (const [name, allowVolumeExpansion] of [
    ['elastic', true],
    ['rigid', false],
  ] as const) {
    const metadata = { name };
    await ask('POST', '/apis/storage.k8s.io/v1/storageclasses', {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata,
      provisioner: 'sim.slipway.dev/volumes',
      allowVolumeExpansion,
    });
  }
  const { spec, annotations, phase = 'Bound' } = more;
  const made = await ask('POST', claims, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data', annotations },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'elastic',
      resources: { requests: { storage: '2Gi' } },
      ...spec,
    },
  });
  expect(made.status).toBe(201);
  const status = { phase, ...(phase === 'Bound' && { capacity: { storage: '2Gi' } }) };
  const merge = { 'content-type': 'application/merge-patch+json' };
  await ask('PATCH', `${claims}/data/status`, { status }, merge);
  return (requests: object) => ask('PATCH', `${claims}/data`, { spec: { resources: { requests } } }, merge);
}

// what the claim is | what it asks for | what is said of it
const stories: [Parameters<typeof setUp>[0], object, string | undefined][] = [
  [{}, { storage: '3Gi' }, undefined],
  [{}, { storage: '2048Mi' }, undefined],
  [{ spec: { storageClassName: 'rigid' } }, { storage: '3Gi' }, byClass],
  [{ spec: { storageClassName: 'gone' } }, { storage: '3Gi' }, byClass],
  [{ spec: { storageClassName: '' } }, { storage: '3Gi' }, byClass],
  [
    { annotations: { 'volume.beta.kubernetes.io/storage-class': 'rigid' }, spec: { storageClassName: 'elastic' } },
    { storage: '3Gi' },
    byClass,
  ],
  [{ phase: 'Pending' }, { storage: '3Gi' }, immutable],
  [{ spec: { storageClassName: 'rigid' } }, { storage: '1Gi' }, shrunk],
  [{}, { storage: '1Gi' }, shrunk],
  [{}, { storage: '3Gi', 'example.com/iops': '1' }, immutable],
];

test.each(stories)('a claim %j that asks for %j', async (claim, requests, message) => {
  const resize = await setUp(claim);
  const { status, body } = await resize(requests);
  if (message === undefined) return expect(status).toBe(200);
  const [code, prefix] = message === byClass ? [403, forbidden] : [422, invalid];
  expect([status, body.message]).toEqual([code, `${prefix}: ${message}`]);
});

test('a wish that was not granted can be lowered, down to more than the claim has', async () => {
  const resize = await setUp({});
  expect((await resize({ storage: '9Gi' })).status).toBe(200);
  expect((await resize({ storage: '3Gi' })).status).toBe(200);
  expect((await resize({ storage: '2Gi' })).body.message).toBe(`${invalid}: ${shrunk}`);
});
