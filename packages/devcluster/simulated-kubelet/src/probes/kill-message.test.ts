import { aPod } from '@slipway/kube-objects/testing/objects';
import { expect, test } from 'vitest';
import { killMessage } from './kill-message.js';

const main = { name: 'main', image: 'image' };
const other = { name: 'other', image: 'image' };
const sidecar = { name: 'beside', image: 'image', restartPolicy: 'Always' } as const;

// policy of the pod | container | other containers | message
test.each([
  ['Always', main, [], 'Container main failed liveness probe, will be restarted'],
  ['OnFailure', main, [], 'Container main failed liveness probe, will be restarted'],
  ['Never', main, [], 'Stopping container main'],
  ['Never', main, [other], 'Container main failed liveness probe'],
  ['Never', { ...main, restartPolicy: 'OnFailure' }, [], 'Container main failed liveness probe, will be restarted'],
  ['Always', { ...main, restartPolicy: 'Never' }, [other], 'Container main failed liveness probe'],
  ['Always', sidecar, [], 'Init container beside failed liveness probe'],
] as const)('killMessage() in a pod with %s of %j beside %j', (restartPolicy, container, others, expected) => {
  const containers = container === sidecar ? [main] : [container, ...others];
  const pod = aPod('p', { spec: { restartPolicy, initContainers: [sidecar], containers } } as never);
  expect(killMessage(pod, container, 'liveness')).toBe(expected);
});
