import { aPod } from '@slipway/kube-objects/testing/objects';
import { expect, test } from 'vitest';
import { containerPart } from './container-part.js';

test.each([
  ['main', 'spec.containers{main}'],
  ['init', 'spec.initContainers{init}'],
  ['debugger', 'spec.ephemeralContainers{debugger}'],
])('containerPart() of %s', (name, expected) => {
  const named = (each: string) => ({ name: each, image: 'image' });
  const [initContainers, containers] = [[named('init')], [named('main')]];
  const pod = aPod('p', { spec: { initContainers, containers, ephemeralContainers: [named('debugger')] } } as never);
  expect(containerPart(pod, name)).toEqual({ object: pod, fieldPath: expected });
});
