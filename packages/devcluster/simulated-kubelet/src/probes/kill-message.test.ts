import { aPod } from '@slipway/kube-objects/testing/objects';
import { expect, test } from 'vitest';
import { killMessage } from './kill-message.js';

const main = { name: 'main', image: 'image' };
const sidecar = { name: 'beside', image: 'image', restartPolicy: 'Always' } as const;

// policy of the pod | container | message
test.each([
  ['Always', main, 'Container main failed liveness probe, will be restarted'],
  ['OnFailure', main, 'Container main failed liveness probe, will be restarted'],
  ['Never', main, 'Container main failed liveness probe'],
  ['Never', { ...main, restartPolicy: 'OnFailure' }, 'Container main failed liveness probe, will be restarted'],
  ['Always', { ...main, restartPolicy: 'Never' }, 'Container main failed liveness probe'],
  ['Always', sidecar, 'Init container beside failed liveness probe'],
] as const)('killMessage() in a pod with %s of %j', (restartPolicy, container, expected) => {
  const pod = aPod('p', { spec: { restartPolicy, initContainers: [sidecar], containers: [container] } } as never);
  expect(killMessage(pod, container, 'liveness')).toBe(expected);
});
