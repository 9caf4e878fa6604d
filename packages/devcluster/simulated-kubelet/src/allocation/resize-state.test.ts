import { aPod } from '@slipway/kube-objects/testing/objects';
import { expect, test } from 'vitest';
import { resizeMessage } from './resize-state.js';

test('resizeMessage() lists resources by name, in whatever order the pod has them', () => {
  const resources = { requests: { memory: '16Mi', cpu: '15m' }, limits: { memory: '32Mi' } };
  const pod = aPod('p', { spec: { containers: [{ name: 'a', resources }] } } as never);
  const listed = '{"name":"a","resources":{"limits":{"memory":"32Mi"},"requests":{"cpu":"15m","memory":"16Mi"}}}';
  const generation = pod.metadata.generation ?? 0;
  expect(resizeMessage('started', pod)).toBe(
    `Pod resize started: {"containers":[${listed}],"generation":${generation}}`,
  );
});
