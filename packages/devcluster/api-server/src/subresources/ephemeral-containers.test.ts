import { aPod, aServer } from '@slipway/devcluster/testing/a-server';
import { expect, test } from 'vitest';

const path = '/api/v1/namespaces/default/pods/p';
const debugger1 = { name: 'debugger', image: 'busybox:1', targetContainerName: 'main' };
const strategic = { 'content-type': 'application/strategic-merge-patch+json' };
const adding = (...ephemeralContainers: readonly object[]) => ({ spec: { ephemeralContainers } });

async function aServerWithPod() {
  const server = await aServer();
  await server.ask('POST', '/api/v1/namespaces/default/pods', aPod('p'));
  const add = (patch: object, subresource = '/ephemeralcontainers') =>
    server.ask('PATCH', path + subresource, patch, strategic);
  return { ...server, add };
}

test('containers are added to a pod one after the other, and nothing else of it changes', async () => {
  const { add, ask } = await aServerWithPod();
  const { status, body } = await add({ ...adding(debugger1), metadata: { labels: { a: 'b' } } });
  expect(status, JSON.stringify(body)).toBe(200);
  expect(body.metadata).toMatchObject({ generation: 2 });
  expect(body.metadata.labels).toBeUndefined();
  await add(adding({ name: 'another', image: 'busybox:1' }));
  const { body: pod } = await ask('GET', `${path}/ephemeralcontainers`);
  expect(pod.spec.ephemeralContainers.map(({ name }: { name: string }) => name).sort()).toEqual([
    'another',
    'debugger',
  ]);
});

const at = 'spec.ephemeralContainers';
// what | patch | subresource | message
const refused: [string, object, string, string][] = [
  [
    'a container of a name that is taken',
    adding({ ...debugger1, name: 'main' }),
    '/ephemeralcontainers',
    `${at}[0].name: Duplicate value: "main"`,
  ],
  [
    'a target that is not there',
    adding({ ...debugger1, targetContainerName: 'x' }),
    '/ephemeralcontainers',
    `${at}[0].targetContainerName: Not found: "x"`,
  ],
  ['no image', adding({ name: 'debugger' }), '/ephemeralcontainers', `${at}[0].image: Required value`],
  [
    'a probe',
    adding({ ...debugger1, livenessProbe: { exec: { command: ['true'] } } }),
    '/ephemeralcontainers',
    'livenessProbe: Forbidden: cannot be set for an Ephemeral Container',
  ],
  ['an update of the pod itself', adding(debugger1), '', 'pod updates may not change fields other than'],
];

test.each(refused)('containers are not added: %s', async (_what, patch, subresource, message) => {
  const { add } = await aServerWithPod();
  const { status, body } = await add(patch, subresource);
  expect([status, body.message]).toEqual([422, expect.stringContaining(message)]);
});

test('containers that were added stay as they are', async () => {
  const { add, ask } = await aServerWithPod();
  await add(adding(debugger1));
  const { body: pod } = await ask('GET', path);
  const changed = await add(adding({ ...debugger1, image: 'busybox:2' }));
  expect(changed.body.message).toContain('existing ephemeral containers "debugger" may not be changed');
  delete pod.spec.ephemeralContainers;
  const removed = await ask('PUT', `${path}/ephemeralcontainers`, pod);
  expect(removed.body.message).toContain('existing ephemeral containers "debugger" may not be removed');
});
