import { aPod, aServer, named } from '@slipway/devcluster/testing/a-server';
import { builtInAdmission } from '@slipway/kubernetes-kinds/admission/built-in-admission';
import { expect, test } from 'vitest';

const inDefault = '/api/v1/namespaces/default';
const pod = `${inDefault}/pods/p`;
const zone = 'topology.kubernetes.io/zone';
const region = 'topology.kubernetes.io/region';

/** A node in a zone, and a pod that is nominated for it. */
async function setUp(version = '1.37') {
  const { ask } = await aServer(undefined, builtInAdmission(), undefined, version);
  await ask('POST', `${inDefault}/serviceaccounts`, named('ServiceAccount', 'default'));
  const labels = { [zone]: 'z', [region]: 'r', rack: '1' };
  await ask('POST', '/api/v1/nodes', { ...named('Node', 'n'), metadata: { name: 'n', labels } });
  await ask('POST', `${inDefault}/pods`, aPod('p', { labels: { app: 'a', [zone]: 'mine' } }));
  const merge = { 'content-type': 'application/merge-patch+json' };
  await ask('PATCH', `${pod}/status`, { status: { nominatedNodeName: 'm' } }, merge);
  const uid: string = (await ask('GET', pod)).body.metadata.uid;
  return { ask, uid };
}

const binding = (metadata: object = {}, target: object = {}) => ({
  ...named('Binding', 'p'),
  metadata: { name: 'p', ...metadata },
  target: { kind: 'Node', name: 'n', ...target },
});

test('a pod that is bound has the zone of its node, what its binding says, and is nominated for no other', async () => {
  const { ask } = await setUp();
  const said = { labels: { said: 'yes' }, annotations: { why: 'so', 'pod.beta.kubernetes.io/init-containers': '[]' } };
  expect((await ask('POST', `${pod}/binding`, binding(said))).status).toBe(201);
  const { metadata, spec, status } = (await ask('GET', pod)).body;
  expect(metadata.labels).toEqual({ app: 'a', [zone]: 'z', [region]: 'r', said: 'yes' });
  expect(metadata.annotations).toEqual({ why: 'so' });
  expect([spec.nodeName, status.nominatedNodeName]).toEqual(['n', undefined]);
});

test('a pod that is made for a node has its zone, too', async () => {
  const { ask } = await setUp();
  const { body } = await ask('POST', `${inDefault}/pods`, aPod('q', { nodeName: 'n' }));
  expect(body.metadata.labels).toEqual({ [zone]: 'z', [region]: 'r' });
  const elsewhere = await ask('POST', `${inDefault}/pods`, aPod('r', { nodeName: 'none' }));
  expect(elsewhere.body.metadata.labels).toBeUndefined();
});

test('before 1.35 a binding leaves the labels and the nomination of a pod alone', async () => {
  const { ask } = await setUp('1.34');
  await ask('POST', `${pod}/binding`, binding({ labels: { said: 'yes' } }));
  const { metadata, status } = (await ask('GET', pod)).body;
  expect(metadata.labels).toEqual({ app: 'a', [zone]: 'mine' });
  expect(status.nominatedNodeName).toBe('m');
});

test('the collection of bindings adds no labels of the node, and takes no uid', async () => {
  const { ask } = await setUp();
  expect((await ask('POST', `${inDefault}/bindings`, binding({ uid: 'other' }))).status).toBe(201);
  expect((await ask('GET', pod)).body.metadata.labels).toEqual({ app: 'a', [zone]: 'mine' });
});

// what | where | body | code | message
const refusals: [string, string, object, number, string][] = [
  ['another name', `${pod}/binding`, binding({ name: 'q' }), 400, 'name in URL does not match name in Binding object'],
  ['no name', `${inDefault}/bindings`, binding({ name: '' }), 400, 'Name parameter required.'],
  [
    'another namespace',
    `${pod}/binding`,
    binding({ namespace: 'x' }),
    400,
    'the namespace of the provided object does',
  ],
  ['another pod', `${pod}/binding`, binding({ uid: 'x' }), 409, 'Precondition failed: UID in precondition: x,'],
  ['another version', `${pod}/binding`, binding({ resourceVersion: 'x' }), 409, 'ResourceVersion in precondition: x,'],
  ['no node', `${pod}/binding`, binding({}, { name: '' }), 500, 'target.name: Required value'],
  ['a bad name', `${pod}/binding`, binding({}, { name: 'A' }), 500, 'target.name: Invalid value: "A": a lowercase RFC'],
  [
    'no node and no name',
    `${pod}/binding`,
    binding({}, { kind: 'Pod', name: '' }),
    500,
    '[target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>", target.name: Required value]',
  ],
  [
    'a token for another account',
    `${inDefault}/serviceaccounts/default/token`,
    { metadata: { name: 'x' } },
    422,
    'metadata.name: Invalid value: "x": must match the service account name if specified',
  ],
  [
    'a token for a former account',
    `${inDefault}/serviceaccounts/default/token`,
    { metadata: { uid: 'x' } },
    409,
    'the UID in the token request (x) does not match the UID of the service account (',
  ],
  [
    'a token for the pod of no name',
    `${inDefault}/serviceaccounts/default/token`,
    { spec: { boundObjectRef: { kind: 'Pod', apiVersion: 'v1' } } },
    400,
    'Name parameter required.',
  ],
  [
    'an eviction of a version that never was',
    `${pod}/eviction`,
    { apiVersion: 'policy/v2', kind: 'Eviction', metadata: { name: 'p' } },
    400,
    'no kind "Eviction" is registered for version "policy/v2"',
  ],
];

test.each(refusals)('what is posted under an object is refused: %s', async (_what, path, body, code, message) => {
  const { ask } = await setUp();
  const answer = await ask('POST', path, body);
  expect([answer.status, answer.body.message]).toEqual([code, expect.stringContaining(message)]);
});

test('an eviction may come in its former version', async () => {
  const { ask } = await setUp();
  const eviction = { apiVersion: 'policy/v1beta1', kind: 'Eviction', metadata: { name: 'p' } };
  expect((await ask('POST', `${pod}/eviction`, eviction)).status).toBe(201);
});

test('a scale in a former version is refused with the version that is expected', async () => {
  const { ask } = await setUp();
  const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'a', image: 'a' }] } };
  const spec = { selector: { matchLabels: { app: 'a' } }, template };
  const path = '/apis/apps/v1/namespaces/default/deployments';
  await ask('POST', path, { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' }, spec });
  const scale = { apiVersion: 'apps/v1beta1', kind: 'Scale', metadata: { name: 'd' }, spec: { replicas: 1 } };
  const { body } = await ask('PUT', `${path}/d/scale`, scale);
  const expected =
    'the API version in the data (apps/v1beta1) does not match the expected API version (autoscaling/v1)';
  expect([body.code, body.message]).toEqual([400, expected]);
});

test('who asks for a token or a review owns what is asked', async () => {
  const { ask } = await setUp();
  const token = await ask('POST', `${inDefault}/serviceaccounts/default/token?fieldManager=me`, {});
  expect(token.body.metadata.managedFields).toEqual([
    expect.objectContaining({
      manager: 'me',
      subresource: 'token',
      fieldsV1: { 'f:spec': { 'f:expirationSeconds': {} } },
    }),
  ]);
  const spec = { user: 'a', nonResourceAttributes: { path: '/' } };
  const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews?fieldManager=me';
  const review = await ask('POST', path, { spec });
  expect(review.body.metadata.managedFields).toHaveLength(1);
});
