import { Kube, type KubeObject, silentLog } from '@slipway/kube';
import { inMemoryApi } from '@slipway/kube/testing';
import { expect, test } from 'vitest';
import { BoundVolumes } from './bound-volumes.js';

const terms = [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }];
const object = (kind: string, metadata: KubeObject['metadata'], spec: object): KubeObject => {
  return { apiVersion: 'v1', kind, metadata, spec };
};

function withClaims(): BoundVolumes {
  const api = inMemoryApi();
  const claim = (name: string, spec: object) =>
    api.seed(
      { group: '', plural: 'persistentvolumeclaims' },
      object('PersistentVolumeClaim', { namespace: 'team', name }, spec),
    );
  const volume = (name: string, spec: object) =>
    api.seed({ group: '', plural: 'persistentvolumes' }, object('PersistentVolume', { name }, spec));
  claim('zonal', { volumeName: 'v1' });
  claim('p-scratch', { volumeName: 'v1' });
  claim('shared', { volumeName: 'v2' });
  claim('unbound', {});
  volume('v1', { nodeAffinity: { required: { nodeSelectorTerms: terms } } });
  volume('v2', {});
  return new BoundVolumes(new Kube(api), silentLog);
}

const claimed = (claimName: string) => ({ name: 'data', persistentVolumeClaim: { claimName } });

test.each<[string, readonly object[], unknown]>([
  ['no claims', [{ name: 'tmp', emptyDir: {} }], []],
  ['a claim whose volume is in a zone', [claimed('zonal')], [terms]],
  ['a generic ephemeral volume', [{ name: 'scratch', ephemeral: {} }], [terms]],
  ['a volume that any node can use', [claimed('shared')], []],
  ['a claim that waits for its first consumer', [claimed('unbound')], []],
  ['a claim that is missing', [claimed('zonal'), claimed('none')], undefined],
])('BoundVolumes of a pod with %s', async (_, volumes, expected) => {
  const pod = object('Pod', { namespace: 'team', name: 'p', uid: 'u' }, { volumes });
  const read = await withClaims().withVolumes(pod, new AbortController().signal);
  expect(read?.volumes).toEqual(expected);
});
