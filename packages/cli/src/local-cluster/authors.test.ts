import { type Cluster, startCluster } from '@slipway/devcluster';
import { FeatureDefinition, installFeatureCrds, ownAuthor } from '@slipway/features';
import { hasReason, type Kube, policyRule, type ResourceRef, role, roleBinding, silentLog } from '@slipway/kube';
import { afterAll, beforeAll, expect, test } from 'vitest';

// The policy that vouches for authors, judged by an API server: neither package may know the other.

let cluster: Cluster;
let admin: Kube;
beforeAll(async () => {
  cluster = await startCluster({ nodes: 0, log: silentLog });
  admin = cluster.kube();
  await installFeatureCrds(admin);
  // Who may write every definition: only the policy is in the way.
  const metadata = { name: 'writers' };
  const subjects = ['jane', 'joe'].map((name) => ({ apiGroup: rbac, kind: 'User', name }));
  const roleRef = { apiGroup: rbac, kind: 'ClusterRole', name: 'cluster-admin' };
  await admin
    .resource(ClusterRoleBinding)
    .create({ apiVersion: `${rbac}/v1`, kind: 'ClusterRoleBinding', metadata, roleRef, subjects });
  const namespaces = { group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces', namespaced: false };
  await admin.resource(namespaces).create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ann' } });
  const ofAnn = role(
    'ann',
    [policyRule('', ['secrets'], ['list', 'patch']), policyRule(features, ['featuredefinitions'], ['create'])],
    'ann',
  );
  await admin.resource(roles('roles', 'Role')).create(ofAnn);
  await admin.resource(roles('rolebindings', 'RoleBinding')).create(roleBinding(ofAnn, { kind: 'User', name: 'ann' }));
});
afterAll(() => cluster.stop());

const features = 'features.slipway.dev';
const roles = (plural: string, kind: string): ResourceRef => ({
  group: rbac,
  version: 'v1',
  kind,
  plural,
  namespaced: true,
});

const rbac = 'rbac.authorization.k8s.io';
const ClusterRoleBinding: ResourceRef = {
  group: rbac,
  version: 'v1',
  kind: 'ClusterRoleBinding',
  plural: 'clusterrolebindings',
  namespaced: false,
};
const stamp = (plural: string, kind: string): ResourceRef => ({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind,
  plural,
  namespaced: false,
});
const groups = ['devs', 'system:authenticated'];
const extra = { scopes: ['a'], 'authentication.kubernetes.io/credential-id': ['JTI=7'] };
const as = (name: string) => cluster.kube({ name, groups, extra });
const jane = { username: 'jane', groups, extra: [{ key: 'scopes', values: ['a'] }] };
const ref = { name: 'fast', namespace: 'default' };
const spec = { gate: 'Fast', components: [{ name: 'a' }] };

/** Writes as joe a definition that jane wrote. Resolves with who its author is then, or that it was forbidden. */
async function written(change: object): Promise<string | undefined> {
  const definitions = (kube: Kube) => kube.resource(FeatureDefinition);
  await definitions(admin)
    .delete(ref)
    .catch(() => {});
  const author = await ownAuthor(as('jane'));
  await definitions(as('jane')).create({
    apiVersion: 'features.slipway.dev/v1alpha1',
    kind: 'FeatureDefinition',
    metadata: ref,
    ...(author && { author }),
    spec,
  } as unknown as FeatureDefinition);
  try {
    return (await definitions(as('joe')).merge(ref, change)).author?.username;
  } catch (error) {
    if (hasReason(error, 'Forbidden')) return 'forbidden';
    throw error;
  }
}

const joe = { username: 'joe', groups, extra: [{ key: 'scopes', values: ['a'] }], uid: null };
const dynamic = { spec: { dynamic: 'Live' } };

// what joe writes | the author afterwards where the API server fills it in | where it does not
test.each<[string, object, string, string]>([
  ['a label', { metadata: { labels: { a: 'b' } } }, 'jane', 'jane'],
  ['a finalizer', { metadata: { finalizers: ['acme.io/hold'] } }, 'jane', 'jane'],
  ['the spec', dynamic, 'joe', 'forbidden'],
  ['the spec in his own name', { ...dynamic, author: joe }, 'joe', 'joe'],
  ['the spec in the name of jane', { ...dynamic, author: jane }, 'joe', 'forbidden'],
  [
    'the spec in the name of a group he is not in',
    { ...dynamic, author: { ...joe, groups: ['system:masters'] } },
    'joe',
    'forbidden',
  ],
  ['the spec without an attribute', { ...dynamic, author: { ...joe, extra: null } }, 'joe', 'forbidden'],
  ['his own name and nothing else', { author: joe }, 'joe', 'joe'],
  ['another name and nothing else', { author: { username: 'admin' } }, 'forbidden', 'forbidden'],
  ['no name any more', { author: null }, 'forbidden', 'forbidden'],
])('%s', async (_what, change, stamped, unstamped) => {
  const finish = async () => admin.resource(FeatureDefinition).merge(ref, { metadata: { finalizers: null } });
  expect(await written(change)).toBe(stamped);
  await finish();
  const bindings = admin.resource(stamp('mutatingadmissionpolicybindings', 'MutatingAdmissionPolicyBinding'));
  await bindings.delete({ name: 'slipway-author-stamp' });
  try {
    expect(await written(change)).toBe(unstamped);
    await finish();
  } finally {
    await installFeatureCrds(admin);
  }
});

test('a status cannot be used to change the author', async () => {
  await written({});
  const after = await as('joe')
    .resource(FeatureDefinition)
    .mergeStatus(ref, { author: { username: 'admin' }, status: { observedGeneration: 1 } });
  expect(after.author?.username).toBe('jane');
});

const secrets = { group: '', resource: 'secrets', path: 'data.a' };
const nodes = { group: '', resource: 'nodes', path: 'spec.podCIDR' };

// what ann, who may read and patch secrets of her namespace, writes there | what is said
test.each<[object, string | undefined]>([
  [{}, undefined],
  [{ references: [secrets], tasks: { off: [{ kind: 'ClearField', args: secrets }] } }, undefined],
  [{ references: [secrets], tasks: { off: [{ kind: 'WaitForNoObjects', args: secrets }] } }, undefined],
  [{ references: [secrets], scope: 'Cluster' }, 'user ann may not list secrets in the whole cluster'],
  [{ references: [secrets, nodes] }, 'user ann may not list nodes in namespace ann'],
  [
    {
      references: [{ ...secrets, path: undefined, kind: 'Object' }],
      tasks: { off: [{ kind: 'ClearCollection', args: secrets }] },
    },
    'user ann may not delete secrets in namespace ann',
  ],
])('a definition of %j is accepted, or rejected for %s', async (more, said) => {
  const kube = cluster.kube({ name: 'ann', groups });
  const author = await ownAuthor(kube);
  const definition = {
    apiVersion: 'features.slipway.dev/v1alpha1',
    kind: 'FeatureDefinition',
    metadata: { name: 'fast', namespace: 'ann' },
    ...(author && { author }),
    spec: { ...spec, ...more },
  } as unknown as FeatureDefinition;
  const created = kube.resource(FeatureDefinition).create(definition, { dryRun: true });
  await (said === undefined ? expect(created).resolves.toBeDefined() : expect(created).rejects.toThrow(said));
});
