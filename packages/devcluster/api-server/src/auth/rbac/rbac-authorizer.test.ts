import type { Access, PolicyRule } from '@slipway/api-machinery/identity/access';
import type { User } from '@slipway/api-machinery/identity/user';
import type { KubeObject } from '@slipway/kube';
import { memoryStore } from '@slipway/object-store/memory-store';
import type { Entry } from '@slipway/object-store/store';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { aBinding, aRole, aUser, listingPods } from '../testing/ask-as.js';
import { rbacAuthorizer } from './rbac-authorizer.js';
import { RolePolicy } from './role-policy.js';

const group = 'rbac.authorization.k8s.io';
const plurals: Readonly<Record<string, string>> = {
  Role: 'roles',
  ClusterRole: 'clusterroles',
  RoleBinding: 'rolebindings',
  ClusterRoleBinding: 'clusterrolebindings',
};
const storedAs = ({ kind }: KubeObject) => `${plurals[kind]}.${group}`;

/** Roles and bindings in a store, and who may do what by them. */
function aPolicy() {
  const store = memoryStore();
  const policy = new RolePolicy(store);
  const put = async (object: KubeObject): Promise<Entry> => {
    const { namespace = '', name = '' } = object.metadata;
    return await store.put(storedAs(object), object, store.latest(storedAs(object), namespace, name));
  };
  const remove = async (object: KubeObject) => {
    const entry = store.latest(storedAs(object), object.metadata.namespace ?? '', object.metadata.name ?? '');
    if (entry) await store.remove(entry);
  };
  return { authorizer: rbacAuthorizer(policy), policy, put, remove };
}

const jane = aUser('jane', 'devs');

test('a write of a role or binding counts as soon as it is answered', async () => {
  const { authorizer, put, remove } = aPolicy();
  const may = () => authorizer.authorize(jane, listingPods('default')).allowed;
  await put(aRole('reader', 'get list', 'pods', '', 'default'));
  expect(may()).toBe(false);
  const binding = aBinding('b', 'Role', 'reader', 'jane', 'default');
  await put(binding);
  expect(may()).toBe(true);
  await put(aRole('reader', 'get', 'pods', '', 'default'));
  expect(may()).toBe(false);
  await put(aRole('reader', 'list', 'pods', '', 'default'));
  await put({ ...binding, subjects: [{ kind: 'User', name: 'john', apiGroup: group }] });
  expect(may()).toBe(false);
  await put(binding);
  expect(may()).toBe(true);
  await remove(binding);
  expect(may()).toBe(false);
});

test('a role in a namespace permits nothing elsewhere', async () => {
  const { authorizer, put } = aPolicy();
  await put(aRole('reader', 'list', 'pods'));
  await put(aBinding('b', 'ClusterRole', 'reader', 'jane', 'default'));
  const allowed = ['default', 'other', ''].map(
    (namespace) => authorizer.authorize(jane, listingPods(namespace)).allowed,
  );
  expect(allowed).toEqual([true, false, false]);
});

// who the binding is for | who asks | what the reason ends with, '' = refused
const subjects: [object, User, string][] = [
  [{ kind: 'User', name: 'jane' }, jane, 'to User "jane"'],
  [{ kind: 'Group', name: 'devs' }, jane, 'to Group "devs"'],
  [
    { kind: 'ServiceAccount', name: 'sa', namespace: 'ns' },
    aUser('system:serviceaccount:ns:sa'),
    'to ServiceAccount "sa/ns"',
  ],
  [{ kind: 'ServiceAccount', name: 'sa' }, aUser('system:serviceaccount:default:sa'), 'to ServiceAccount "sa/default"'],
  [{ kind: 'ServiceAccount', name: 'sa' }, aUser('system:serviceaccount:other:sa'), ''],
  [{ kind: 'User', name: 'devs' }, jane, ''],
];

test.each(subjects)('a binding to %o asked for by %o', async (subject, user, ends) => {
  const { authorizer, put } = aPolicy();
  await put(aRole('reader', 'list', 'pods', '', 'default'));
  await put({ ...aBinding('b', 'Role', 'reader', '', 'default'), subjects: [subject] });
  const { allowed, reason } = authorizer.authorize(user, listingPods('default'));
  expect(allowed).toBe(ends !== '');
  expect(reason).toBe(ends === '' ? '' : `RBAC: allowed by RoleBinding "b/default" of Role "reader" ${ends}`);
});

test('a binding to a role that is not there is named in the refusal', async () => {
  const { authorizer, put } = aPolicy();
  await put(aBinding('a', 'ClusterRole', 'gone', 'jane'));
  await put(aBinding('b', 'Role', 'away', 'jane', 'default'));
  const clusterRole = `clusterrole.${group} "gone" not found`;
  const role = `role.${group} "away" not found`;
  expect(authorizer.authorize(jane, listingPods('')).reason).toBe(`RBAC: ${clusterRole}`);
  expect(authorizer.authorize(jane, listingPods('default')).reason).toBe(`RBAC: [${clusterRole}, ${role}]`);
});

const verb = fc.constantFrom('get', 'list', 'create', '*');
const resource = fc.constantFrom('pods', 'pods/log', 'secrets', '*', '*/log');
const few = <T>(one: fc.Arbitrary<T>) => fc.uniqueArray(one, { minLength: 1, maxLength: 2 });
const rule: fc.Arbitrary<PolicyRule> = fc.record({
  verbs: few(verb),
  apiGroups: few(fc.constantFrom('', 'apps', '*')),
  resources: few(resource),
  resourceNames: fc.uniqueArray(fc.constantFrom('a', 'b'), { maxLength: 1 }),
});
const namespace = fc.constantFrom('', 'x', 'y');
const roleName = fc.constantFrom('r', 's');
const role = fc.record({ name: roleName, namespace, rules: fc.array(rule, { maxLength: 2 }) });
const who = fc.constantFrom<[string, string]>(['User', 'jane'], ['Group', 'devs'], ['User', 'john']);
const binding = fc.record({ name: fc.constantFrom('b', 'c'), namespace, ofCluster: fc.boolean(), role: roleName, who });
const access: fc.Arbitrary<Access> = fc.record({
  kind: fc.constant('resource' as const),
  verb: fc.constantFrom('get', 'list', 'create'),
  group: fc.constantFrom('', 'apps'),
  version: fc.constant('v1'),
  resource: fc.constantFrom('pods', 'secrets'),
  subresource: fc.constantFrom('', 'log'),
  namespace,
  name: fc.constantFrom('', 'a', 'b'),
});

/** RBAC as its documentation has it, in the fewest words. */
function naively(objects: readonly KubeObject[], user: User, asked: Access): boolean {
  if (asked.kind === 'path') return false;
  const any = (list: readonly string[], value: string) => list.some((one) => one === '*' || one === value);
  const full = asked.subresource === '' ? asked.resource : `${asked.resource}/${asked.subresource}`;
  const permits = (one: PolicyRule) =>
    any(one.verbs, asked.verb) &&
    any(one.apiGroups ?? [], asked.group) &&
    (any(one.resources ?? [], full) ||
      (asked.subresource !== '' && (one.resources ?? []).includes(`*/${asked.subresource}`))) &&
    ((one.resourceNames ?? []).length === 0 || (one.resourceNames ?? []).includes(asked.name));
  return objects.some(({ kind, metadata, subjects = [], roleRef }) => {
    if (!kind.endsWith('Binding')) return false;
    if (kind === 'RoleBinding' && metadata.namespace !== asked.namespace) return false;
    const isMeant = subjects.some((subject: { kind: string; name: string }) =>
      subject.kind === 'User' ? subject.name === user.name : user.groups.includes(subject.name),
    );
    const given = objects.find(
      (one) =>
        one.kind === roleRef.kind &&
        one.metadata.name === roleRef.name &&
        (one.kind === 'ClusterRole' || one.metadata.namespace === metadata.namespace),
    );
    return isMeant && (given?.rules ?? []).some(permits);
  });
}

test('whatever is written in whatever order, decisions are those of a naive reading of all roles and bindings', async () => {
  const story = fc.array(fc.oneof(role, binding), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(story, fc.array(access, { minLength: 1, maxLength: 10 }), async (writes, asked) => {
      const { authorizer, put, policy } = aPolicy();
      const there = new Map<string, KubeObject>();
      for (const write of writes) {
        const object = objectOf(write);
        await put(object);
        there.set(`${object.kind}/${object.metadata.namespace}/${object.metadata.name}`, object);
      }
      const all = [...there.values()];
      for (const one of asked) expect(authorizer.authorize(jane, one).allowed).toBe(naively(all, jane, one));
      policy.close();
    }),
    { numRuns: 300 },
  );
});

type Write = { name: string; namespace: string } & (
  | { rules: PolicyRule[] }
  | { ofCluster: boolean; role: string; who: [string, string] }
);

function objectOf(write: Write): KubeObject {
  const { name } = write;
  const namespace = write.namespace === '' ? undefined : write.namespace;
  if ('rules' in write) return { ...aRole(name, 'get', 'pods', '', namespace), rules: write.rules };
  const kind = write.ofCluster || namespace === undefined ? 'ClusterRole' : 'Role';
  const [subject, who] = write.who;
  return {
    ...aBinding(name, kind, write.role, '', namespace),
    subjects: [{ kind: subject, name: who, apiGroup: group }],
  };
}
