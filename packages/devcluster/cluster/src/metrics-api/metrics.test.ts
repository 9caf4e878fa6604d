import { expect, test } from 'vitest';
import { aPod, aServer, named } from '../testing/a-server.js';

const merge = { 'content-type': 'application/merge-patch+json' };
const group = '/apis/metrics.k8s.io/v1beta1';
const asked = { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '2', memory: '1Gi' } };

interface Told {
  readonly resources?: object;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly state?: object;
}

/** A ready node, one that is not, and a pod `p` of one container on the first. */
async function measured({ resources = {}, annotations = {}, state = { running: {} } }: Told = {}) {
  const { ask } = await aServer();
  for (const [name, status] of [
    ['n1', 'True'],
    ['n2', 'Unknown'],
  ]) {
    const conditions = [{ type: 'Ready', status }];
    await ask(
      'POST',
      '/api/v1/nodes',
      named('Node', name ?? '', { status: { conditions, capacity: { cpu: '4', memory: '8Gi' } } }),
    );
  }
  const pod = aPod('p', { nodeName: 'n1', labels: { app: 'a' } });
  await ask('POST', '/api/v1/namespaces/default/pods', { ...pod, metadata: { ...pod.metadata, annotations } });
  const one = { name: 'main', image: 'i', imageID: '', ready: true, restartCount: 0, state, resources };
  await ask('PATCH', '/api/v1/namespaces/default/pods/p/status', { status: { containerStatuses: [one] } }, merge);
  return { ask };
}

// what a container has | what it was told | usage
const cases: [object, Record<string, string>, object][] = [
  [{}, {}, { cpu: '1m', memory: '16Mi' }],
  [asked, {}, { cpu: '250m', memory: '512Mi' }],
  [asked, { 'sim.slipway.dev/main.usage': 'cpu=1500m' }, { cpu: '1500m', memory: '512Mi' }],
  [asked, { 'sim.slipway.dev/main.usage': 'cpu=9,memory=9Gi' }, { cpu: '2', memory: '1Gi' }],
  [asked, { 'sim.slipway.dev/main.usage': 'much' }, { cpu: '250m', memory: '512Mi' }],
];

test.each(cases)('PodMetrics of a container with %j, told %j', async (resources, annotations, usage) => {
  const { ask } = await measured({ resources, annotations });
  const { body } = await ask('GET', `${group}/namespaces/default/pods/p`);
  expect(body).toMatchObject({
    kind: 'PodMetrics',
    metadata: { name: 'p', namespace: 'default', labels: { app: 'a' } },
    window: '10s',
    containers: [{ name: 'main', usage }],
  });
});

test('NodeMetrics are those of nodes that are ready: their pods and the system, and no more than they have', async () => {
  const { ask } = await measured({ resources: asked });
  const { body } = await ask('GET', `${group}/nodes`);
  expect(body.items.map(({ metadata, usage }: never) => [(metadata as { name: string }).name, usage])).toEqual([
    ['n1', { cpu: '300m', memory: '768Mi' }],
  ]);
  expect((await ask('GET', `${group}/nodes/n2`)).body.message).toBe('nodes.metrics.k8s.io "n2" not found');
  const greedy = await measured({ annotations: { 'sim.slipway.dev/main.usage': 'cpu=99,memory=99Gi' } });
  expect((await greedy.ask('GET', `${group}/nodes/n1`)).body.usage).toEqual({ cpu: '4', memory: '8Gi' });
});

test('PodMetrics are selected by label and namespace; pods that do not run have none', async () => {
  const { ask } = await measured();
  const names = async (path: string) =>
    (await ask('GET', `${group}${path}`)).body.items.map((item: { metadata: { name: string } }) => item.metadata.name);
  expect(await names('/pods')).toEqual(['p']);
  expect(await names('/namespaces/default/pods?labelSelector=app%3Da')).toEqual(['p']);
  expect(await names('/pods?labelSelector=app%3Db')).toEqual([]);
  expect(await names('/namespaces/other/pods')).toEqual([]);
  const waiting = await measured({ state: { waiting: {} } });
  expect((await waiting.ask('GET', `${group}/pods`)).body.items).toEqual([]);
});

test('metrics can only be read, and discovery says so', async () => {
  const { ask } = await measured();
  const { body } = await ask('GET', group);
  expect(body.resources).toEqual([
    { name: 'nodes', singularName: '', namespaced: false, kind: 'NodeMetrics', verbs: ['get', 'list'] },
    { name: 'pods', singularName: '', namespaced: true, kind: 'PodMetrics', verbs: ['get', 'list'] },
  ]);
  expect((await ask('POST', `${group}/nodes`, {})).status).toBe(405);
  expect((await ask('DELETE', `${group}/nodes/n1`)).status).toBe(405);
  expect((await ask('GET', `${group}/nodes?watch=true`)).status).toBe(405);
  const table = await ask('GET', `${group}/nodes`, undefined, {
    accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  });
  expect(table.body.rows[0].cells.slice(0, 4)).toEqual(['n1', '51m', '272Mi', '10s']);
  expect((await ask('GET', `/openapi/v3${group}`)).status).toBe(200);
});
