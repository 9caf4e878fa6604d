import { aPod, aServer } from '@slipway/devcluster/testing/a-server';
import { expect, test } from 'vitest';

const path = '/api/v1/namespaces/default/pods/p';
const small = { requests: { cpu: '1', memory: '1Gi' } };
const larger = { requests: { cpu: '2', memory: '1Gi' } };

async function aServerWithPod() {
  const server = await aServer();
  const { body } = await server.ask('POST', '/api/v1/namespaces/default/pods', {
    ...aPod('p'),
    spec: { containers: [{ name: 'main', image: 'registry.example/app:1', resources: small }] },
  });
  return { ...server, pod: body };
}

const patchOf = (containers: object) => ({ spec: { containers } });
// A1: "resize subresource accepts GET/PUT/PATCH(strategic, merge, json...)"; media type | patch
const patches: [string, unknown][] = [
  ['application/strategic-merge-patch+json', patchOf([{ name: 'main', resources: { requests: { cpu: '2' } } }])],
  ['application/merge-patch+json', patchOf([{ name: 'main', image: 'registry.example/app:1', resources: larger }])],
  ['application/json-patch+json', [{ op: 'replace', path: '/spec/containers/0/resources/requests/cpu', value: '2' }]],
];

test.each(patches)('a pod is resized by %s, and A4: "generation +1 on spec change"', async (type, patch) => {
  const { ask, pod } = await aServerWithPod();
  expect(pod.metadata.generation).toBe(1);
  const { status, body } = await ask('PATCH', `${path}/resize`, patch, { 'content-type': type });
  expect(status, JSON.stringify(body)).toBe(200);
  expect(body).toMatchObject({ kind: 'Pod', metadata: { generation: 2 } });
  expect(body.spec.containers[0].resources).toEqual(larger);
  const again = await ask('PATCH', `${path}/resize`, patch, { 'content-type': type });
  expect(again.body.metadata).toEqual(body.metadata);
});

test('A1: "...PATCH(strategic, merge, json, apply)": a pod is resized by who applies its resources', async () => {
  const { ask } = await aServerWithPod();
  const containers = [{ name: 'main', resources: larger }];
  const applied = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { containers } };
  const how = { 'content-type': 'application/apply-patch+yaml' };
  const contested = await ask('PATCH', `${path}/resize?fieldManager=sizer`, applied, how);
  expect(contested.status).toBe(409);
  const { status, body } = await ask('PATCH', `${path}/resize?fieldManager=sizer&force=true`, applied, how);
  expect(status, JSON.stringify(body)).toBe(200);
  expect(body).toMatchObject({ metadata: { generation: 2 }, spec: { containers } });
});

test('a pod is resized by PUT of what GET gave, and a stale version is a conflict', async () => {
  const { ask } = await aServerWithPod();
  const { body: pod } = await ask('GET', `${path}/resize`);
  pod.spec.containers[0].resources = larger;
  pod.spec.containers[0].image = 'registry.example/app:2';
  const done = await ask('PUT', `${path}/resize`, pod);
  expect(done.body.spec.containers[0]).toMatchObject({ image: 'registry.example/app:1', resources: larger });
  expect((await ask('PUT', `${path}/resize`, pod)).status).toBe(409);
});

test('a resize that is refused says why, and one that is dry changes nothing', async () => {
  const { ask, pod } = await aServerWithPod();
  const strategic = { 'content-type': 'application/strategic-merge-patch+json' };
  const resize = (resources: object, query = '') =>
    ask('PATCH', `${path}/resize${query}`, patchOf([{ name: 'main', resources }]), strategic);
  const refused = await resize({ limits: small.requests });
  expect(refused.body).toMatchObject({
    code: 422,
    message:
      'Pod "p" is invalid: spec: Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing',
    details: { causes: [{ reason: 'FieldValueInvalid', field: 'spec' }] },
  });
  expect((await resize(larger, '?dryRun=All')).body.metadata.generation).toBe(2);
  expect((await ask('GET', path)).body.metadata).toEqual(pod.metadata);
});

test('a resize of no pod, and other verbs', async () => {
  const { ask } = await aServerWithPod();
  expect((await ask('GET', '/api/v1/namespaces/default/pods/q/resize')).status).toBe(404);
  expect((await ask('POST', `${path}/resize`, {})).status).toBe(405);
  expect((await ask('DELETE', `${path}/resize`)).status).toBe(405);
});

test('discovery tells of it', async () => {
  const { ask } = await aServerWithPod();
  const { body } = await ask('GET', '/api/v1');
  expect(body.resources.find(({ name }: { name: string }) => name === 'pods/resize')).toEqual({
    name: 'pods/resize',
    singularName: '',
    namespaced: true,
    kind: 'Pod',
    verbs: ['get', 'patch', 'update'],
  });
});
