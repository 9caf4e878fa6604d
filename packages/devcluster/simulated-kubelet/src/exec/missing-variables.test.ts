import type { ContainerFields } from '@slipway/kube-objects/kinds/pod-spec';
import { expect, test } from 'vitest';
import { missingVariable, needsObjects } from './missing-variables.js';

const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'map' }, data: { a: 'A' }, binaryData: { b: '' } };
const keys = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'keys' }, data: { a: 'QQ==' } };
const lookUp = (resource: string, name: string) =>
  [map, keys].find(({ kind, metadata }) => metadata.name === name && resource === `${kind.toLowerCase()}s`);
const fromMap = (name: string, key: string, more = {}) => ({
  env: [{ name: 'V', valueFrom: { configMapKeyRef: { name, key, ...more } } }],
});
const fromSecret = (name: string, key: string, more = {}) => ({
  env: [{ name: 'V', valueFrom: { secretKeyRef: { name, key, ...more } } }],
});

// a container | whether it needs objects | what is missing
test.each<[ContainerFields, boolean, string | undefined]>([
  [{}, false, undefined],
  [{ env: [{ name: 'V', value: 'v' }] }, false, undefined],
  [fromMap('map', 'a'), true, undefined],
  [fromMap('no', 'a'), true, 'configmap "no" not found'],
  [fromMap('no', 'a', { optional: true }), false, undefined],
  [fromMap('map', 'b'), true, "couldn't find key b in ConfigMap ns/map"],
  [fromMap('map', 'b', { optional: true }), false, undefined],
  [fromSecret('keys', 'a'), true, undefined],
  [fromSecret('map', 'a'), true, 'secret "map" not found'],
  [fromSecret('keys', 'b'), true, "couldn't find key b in Secret ns/keys"],
  [{ envFrom: [{ configMapRef: { name: 'map' } }, { secretRef: { name: 'no' } }] }, true, 'secret "no" not found'],
  [{ envFrom: [{ secretRef: { name: 'no', optional: true } }] }, false, undefined],
  [{ envFrom: [{ configMapRef: { name: 'no' } }], ...fromSecret('gone', 'a') }, true, 'configmap "no" not found'],
])('of %j', (container, needs, expected) => {
  expect(needsObjects(container)).toBe(needs);
  expect(missingVariable(container, 'ns', lookUp)).toBe(expected);
});
