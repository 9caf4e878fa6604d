import { expect, test } from 'vitest';
import type { PodSpec } from '../controllers/api/pods.js';
import { aNode, aPod } from '../controllers/testing/objects.js';
import { admit } from './pod-admission.js';

const node = aNode('n1');
const asking = (requests: Record<string, string>, spec: Partial<PodSpec> = {}) =>
  aPod('p', { spec: { containers: [{ name: 'main', image: 'image', resources: { requests } }], ...spec } });

test('admit() takes what fits', () => {
  expect(admit(asking({ cpu: '1' }), node, new Map([['cpu', 3000]]))).toBeUndefined();
});

test('admit() says what is missing, in the words of the kubelet', () => {
  expect(admit(asking({ cpu: '1500m' }), node, new Map([['cpu', 3000]]))).toEqual({
    reason: 'OutOfcpu',
    message: "Pod was rejected: Node didn't have enough resource: cpu, requested: 1500, used: 3000, capacity: 4000",
  });
  expect(admit(asking({ memory: '9Gi' }), node, new Map())?.reason).toBe('OutOfmemory');
  expect(admit(asking({}), node, new Map([['pods', 110]]))?.reason).toBe('OutOfpods');
});

test('admit() refuses a pod that selects other nodes', () => {
  expect(admit(asking({}, { nodeSelector: { disk: 'ssd' } }), node, new Map())?.reason).toBe('NodeAffinity');
});
