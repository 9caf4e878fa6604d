import { createHash } from 'node:crypto';
import { Kube, type KubeRequest } from '@slipway/kube';
import { ManualClock } from '@slipway/kube/testing';
import { expect, test } from 'vitest';
import { someApiVersions } from '../testing/an-upgrade.js';
import { listStored } from './list-stored.js';

/** An API that serves kites in one version and says by a hash in which one it stores them. */
function aKiteServer(served: string, stored: string): Kube {
  const storageVersionHash = createHash('sha256').update(`toys.k8s.io/${stored}/Kite`).digest().subarray(0, 8);
  const kites = {
    name: 'kites',
    singularName: 'kite',
    namespaced: true,
    kind: 'Kite',
    verbs: ['list'],
    storageVersionHash: storageVersionHash.toString('base64'),
  };
  const version = { groupVersion: `toys.k8s.io/${served}`, version: served };
  const bodies: Record<string, unknown> = {
    '/api': { kind: 'APIVersions', versions: [] },
    '/apis': {
      kind: 'APIGroupList',
      groups: [{ name: 'toys.k8s.io', versions: [version], preferredVersion: version }],
    },
    [`/apis/toys.k8s.io/${served}`]: { kind: 'APIResourceList', ...version, resources: [kites] },
    [`/apis/toys.k8s.io/${served}/kites`]: { metadata: { resourceVersion: '1' }, items: [{ metadata: { name: 'a' } }] },
  };
  const request = async ({ path }: KubeRequest) => ({ status: 200, body: bodies[path.split('?')[0] ?? ''] });
  const transport = { request, stream: () => Promise.reject(new Error('not watched')) } as unknown as Kube['transport'];
  return new Kube(transport, { clock: new ManualClock() });
}

const cases: [string, string, string | undefined][] = [
  ['v1beta1', 'v1beta1', 'v1beta1'],
  ['v1beta1', 'v1alpha1', 'v1alpha1'],
  ['v1beta1', 'v7', undefined],
];

test.each(cases)('listStored() where %s is served and %s is stored', async (served, stored, storedAs) => {
  const kube = aKiteServer(served, stored);
  const [kites] = await listStored(kube, someApiVersions, { from: '1.34', to: '1.35' }, []);
  expect(kites).toMatchObject({ kind: 'Kite', versions: [served], objects: 1 });
  expect(kites?.storedAs).toBe(storedAs);
});
