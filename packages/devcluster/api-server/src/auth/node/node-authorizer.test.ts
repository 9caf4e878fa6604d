import { aPod } from '@slipway/devcluster/testing/a-server';
import { nodeUser } from '@slipway/kube-objects/rules/node-name';
import { expect, test } from 'vitest';
import { aServerWithRoles, askAs } from '../testing/ask-as.js';

const inDefault = '/api/v1/namespaces/default';

/** Nodes n1 and n2, each with a pod; that of n1 names a secret, a config map, a claim and an account. */
const claims = '/apis/resource.k8s.io/v1/namespaces/default/resourceclaims';

async function setUp() {
  const server = await aServerWithRoles();
  const { ask, api } = server;
  await ask('POST', '/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'kube-node-lease' },
  });
  const make = (kind: string, plural: string, name: string, more = {}) =>
    ask('POST', `${inDefault}/${plural}`, { apiVersion: 'v1', kind, metadata: { name }, ...more });
  for (const name of ['used', 'other']) {
    await make('Secret', 'secrets', name);
    await make('ConfigMap', 'configmaps', name);
    await make('ServiceAccount', 'serviceaccounts', name);
  }
  const spec = { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'gpu' } }] } };
  const claim = { apiVersion: 'resource.k8s.io/v1', kind: 'ResourceClaim', metadata: { name: 'used' }, spec };
  await ask('POST', claims, claim);
  const mine = aPod('mine', { nodeName: 'n1' });
  await ask('POST', `${inDefault}/pods`, {
    ...mine,
    spec: {
      ...mine.spec,
      serviceAccountName: 'used',
      volumes: [
        { name: 's', secret: { secretName: 'used' } },
        { name: 'c', projected: { sources: [{ configMap: { name: 'used' } }] } },
        { name: 'p', persistentVolumeClaim: { claimName: 'used' } },
      ],
      resourceClaims: [{ name: 'gpu', resourceClaimName: 'used' }],
    },
  });
  await ask('POST', `${inDefault}/pods`, aPod('theirs', { nodeName: 'n2' }));
  for (const name of ['n1', 'n2'])
    await ask('POST', '/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name } });
  return { ...server, asNode: askAs(api, nodeUser('n1')) };
}

const unrelated = "no relationship found between node 'n1' and this object";

// method | path | why not, '' = allowed
const reads: [string, string, string][] = [
  ['GET', '/api/v1/nodes/n1', ''],
  ['GET', '/api/v1/nodes/n2', "node 'n1' cannot read 'n2', only its own Node object"],
  ['GET', '/api/v1/nodes', "node 'n1' cannot read all nodes, only its own Node object"],
  ['GET', '/api/v1/nodes?fieldSelector=metadata.name%3Dn1', ''],
  ['GET', '/api/v1/pods?fieldSelector=spec.nodeName%3Dn1', ''],
  [
    'GET',
    '/api/v1/pods?fieldSelector=spec.nodeName%3Dn2',
    'can only list/watch pods with spec.nodeName field selector',
  ],
  ['GET', '/api/v1/pods', 'can only list/watch pods with spec.nodeName field selector'],
  ['GET', `${inDefault}/pods/mine`, ''],
  ['GET', `${inDefault}/pods/theirs`, unrelated],
  ['GET', `${inDefault}/secrets/used`, ''],
  ['GET', `${inDefault}/secrets/other`, unrelated],
  ['GET', `${inDefault}/secrets`, 'No Object name found'],
  ['DELETE', `${inDefault}/secrets/used`, 'can only read resources of this type'],
  ['GET', `${inDefault}/configmaps/used`, ''],
  ['GET', `${inDefault}/configmaps/other`, unrelated],
  ['GET', `${inDefault}/persistentvolumeclaims/other`, unrelated],
  ['GET', `${claims}/used`, ''],
  ['GET', `${claims}/other`, unrelated],
  ['GET', claims, 'can only get individual resources of this type'],
  [
    'GET',
    '/apis/coordination.k8s.io/v1/namespaces/default/leases/n1',
    'can only access leases in the "kube-node-lease" system namespace',
  ],
  [
    'GET',
    '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n2',
    'can only access node lease with the same name as the requesting node',
  ],
  ['GET', '/api/v1/services', ''],
  ['GET', '/apis/apps/v1/deployments', ' at the cluster scope'],
];

test.each(reads)('a kubelet asks for %s %s', async (method, path, why) => {
  const { asNode } = await setUp();
  const { status, body } = await asNode(method, path);
  expect(status, JSON.stringify(body)).toBe(why === '' ? 200 : 403);
  if (why !== '') expect(body.message.endsWith(why), body.message).toBe(true);
});

test('a node that does not say which is let at nothing', async () => {
  const { api } = await setUp();
  const { body } = await askAs(api, { name: 'n1', groups: ['system:nodes'] })('GET', '/api/v1/nodes/n1');
  expect(body.message).toContain('unknown node for user "n1"');
});

const merge = { 'content-type': 'application/merge-patch+json' };
const token = (boundObjectRef?: object) => ({
  apiVersion: 'authentication.k8s.io/v1',
  kind: 'TokenRequest',
  spec: { audiences: [], boundObjectRef },
});
const lease = (name: string) => ({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name }, spec: {} });
const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';

// method | path | body | why not, '' = allowed
const writes: [string, string, object, string][] = [
  ['PATCH', `${inDefault}/pods/mine/status`, { status: { phase: 'Running' } }, ''],
  [
    'PATCH',
    `${inDefault}/pods/theirs/status`,
    { status: {} },
    'node "n1" can only update pod status for pods with spec.nodeName set to itself',
  ],
  ['DELETE', `${inDefault}/pods/mine`, {}, ''],
  ['DELETE', `${inDefault}/pods/theirs`, {}, 'node "n1" can only delete pods with spec.nodeName set to itself'],
  [
    'POST',
    `${inDefault}/pods`,
    aPod('new', { nodeName: 'n1' }),
    'pod does not have "kubernetes.io/config.mirror" annotation, node "n1" can only create mirror pods',
  ],
  ['PATCH', '/api/v1/nodes/n1', { metadata: { labels: { 'example.com/a': 'b' } } }, ''],
  [
    'PATCH',
    '/api/v1/nodes/n1',
    { metadata: { labels: { 'node-role.kubernetes.io/master': '' } } },
    'is not allowed to modify labels: node-role.kubernetes.io/master',
  ],
  [
    'PATCH',
    '/api/v1/nodes/n1',
    { metadata: { labels: { 'a.node-restriction.kubernetes.io/b': '' } } },
    'is not allowed to modify labels: a.node-restriction.kubernetes.io/b',
  ],
  [
    'PATCH',
    '/api/v1/nodes/n1',
    { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } },
    'node "n1" is not allowed to modify taints',
  ],
  ['PATCH', '/api/v1/nodes/n2/status', { status: {} }, 'node "n1" is not allowed to modify node "n2"'],
  [
    'POST',
    '/api/v1/nodes',
    { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n3' } },
    'node "n1" is not allowed to modify node "n3"',
  ],
  ['POST', leases, lease('n1'), ''],
  ['POST', leases, lease('n2'), 'can only access node lease with the same name as the requesting node'],
  ['POST', `${inDefault}/serviceaccounts/used/token`, token(), 'node requested token not bound to a pod'],
  ['POST', `${inDefault}/serviceaccounts/other/token`, token(), unrelated],
  [
    'POST',
    `${inDefault}/pods/theirs/eviction`,
    { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'theirs' } },
    'node n1 can only evict pods with spec.nodeName set to itself',
  ],
];

test.each(writes)('a kubelet sends %s %s', async (method, path, sent, why) => {
  const { asNode } = await setUp();
  const { status, body } = await asNode(method, path, sent, method === 'PATCH' ? merge : {});
  if (why === '') expect(status, JSON.stringify(body)).toBeLessThan(300);
  else expect([status, body.message.endsWith(why)], body.message).toEqual([403, true]);
});

test('a kubelet gets tokens for the pods it runs', async () => {
  const { ask, asNode } = await setUp();
  const { uid } = (await ask('GET', `${inDefault}/pods/mine`)).body.metadata;
  const reference = { apiVersion: 'v1', kind: 'Pod', name: 'mine', uid };
  const { status, body } = await asNode('POST', `${inDefault}/serviceaccounts/used/token`, token(reference));
  expect(status, JSON.stringify(body)).toBe(201);
});
