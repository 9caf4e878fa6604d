import { aPod, aServer } from '@slipway/devcluster/testing/a-server';
import { expect, test } from 'vitest';

const path = '/api/v1/namespaces/default/pods';
const annotation = 'kubernetes.io/config.mirror';
const merge = { 'content-type': 'application/merge-patch+json' };
const mirror = (name: string, nodeName?: string) => {
  const pod = aPod(name, nodeName === undefined ? {} : { nodeName });
  return { ...pod, metadata: { ...pod.metadata, annotations: { [annotation]: 'a' } } };
};

test('a mirror pod names its node', async () => {
  const { ask } = await aServer();
  expect((await ask('POST', path, mirror('p', 'n1'))).status).toBe(201);
  const { status, body } = await ask('POST', path, mirror('q'));
  const said = `metadata.annotations[${annotation}]: Invalid value: "a": must set spec.nodeName if mirror pod annotation is set`;
  expect([status, body.message]).toEqual([422, `Pod "q" is invalid: ${said}`]);
});

// why not | which pod | the annotation from now on
test.each([
  ['may not remove or update mirror pod annotation', 'mirror', 'b'],
  ['may not remove or update mirror pod annotation', 'mirror', null],
  ['may not add mirror pod annotation', 'other', 'a'],
])('whether a pod is a mirror is settled: %s', async (why, name, value) => {
  const { ask } = await aServer();
  await ask('POST', path, mirror('mirror', 'n1'));
  await ask('POST', path, aPod('other', { nodeName: 'n1' }));
  const change = { metadata: { annotations: { [annotation]: value } } };
  const { status, body } = await ask('PATCH', `${path}/${name}`, change, merge);
  expect([status, body.message]).toEqual([
    422,
    `Pod "${name}" is invalid: metadata.annotations[${annotation}]: Forbidden: ${why}`,
  ]);
});
