import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import { expect, test } from 'vitest';
import { awaitedSources } from './awaited-sources.js';
import { missingPart } from './missing-part.js';

const mount = { name: 'main', volumeMounts: [{ name: 'v', mountPath: '/v' }] };
const podWith = (volume: object, containers: object = { containers: [mount] }): Pod =>
  ({ metadata: {}, spec: { containers: [], ...containers, volumes: [{ name: 'v', ...volume }] } }) as unknown as Pod;
const named = (pod: Pod) => awaitedSources(pod).map(({ volume: _, ...source }) => source);

// a volume | what is waited for
test.each<[object, object[]]>([
  [{ configMap: { name: 'm' } }, [{ configMap: { name: 'm' }, index: 0 }]],
  [{ configMap: { name: 'm', optional: true } }, []],
  [{ secret: { secretName: 's', items: [] } }, [{ secret: { name: 's', items: [] }, index: 0 }]],
  [{ secret: { secretName: 's', optional: true } }, []],
  [{ emptyDir: {} }, []],
  [
    {
      projected: {
        sources: [{ serviceAccountToken: {} }, { secret: { name: 's' } }, { clusterTrustBundle: { name: 'b' } }],
      },
    },
    [
      { secret: { name: 's' }, index: 1 },
      { clusterTrustBundle: { name: 'b' }, index: 2 },
    ],
  ],
  // As every pod has it.
  [{ projected: { sources: [{ serviceAccountToken: {} }, { configMap: { name: 'kube-root-ca.crt' } }] } }, []],
])('awaitedSources() of %j', (volume, expected) => {
  expect(named(podWith(volume))).toEqual(expected);
});

test.each([
  ['no container', {}, 0],
  ['an init container', { initContainers: [mount] }, 1],
  ['an ephemeral container', { ephemeralContainers: [mount] }, 1],
])('awaitedSources() of a volume that %s mounts', (_, containers, expected) => {
  expect(awaitedSources(podWith({ configMap: { name: 'm' } }, containers))).toHaveLength(expected);
});

const items = [{ key: 'a', path: 'p' }];
const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: {}, data: { a: '' } };

// a source | the object | what is missing
test.each([
  [{ configMap: { name: 'm' } }, undefined, 'configmap "m" not found'],
  [{ secret: { name: 's' } }, undefined, 'secret "s" not found'],
  [{ configMap: { name: 'm', items } }, object, undefined],
  [{ configMap: { name: 'm', items } }, { ...object, data: {}, binaryData: { a: '' } }, undefined],
  [{ configMap: { name: 'm', items } }, { ...object, data: {} }, 'configmap references non-existent config key: a'],
  [{ secret: { name: 's', items } }, { ...object, data: {} }, 'references non-existent secret key: a'],
])('missingPart() of %j in %j', (source, found, expected) => {
  expect(missingPart(source, found)).toBe(expected);
});
