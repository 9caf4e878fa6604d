import { aServer, named } from '@slipway/devcluster/testing/a-server';
import type { KubeObject } from '@slipway/kube';
import { beforeEach, expect, test } from 'vitest';
import { aBinding, aPolicy } from './testing/a-policy.js';

const v1beta1 = 'admissionregistration.k8s.io/v1beta1';
const policies = `/apis/${v1beta1}/mutatingadmissionpolicies`;
const bindings = `/apis/${v1beta1}/mutatingadmissionpolicybindings`;
const configMaps = '/api/v1/namespaces/default/configmaps';
const pods = '/api/v1/namespaces/default/pods';

let server: Awaited<ReturnType<typeof aServer>>;
beforeEach(async () => {
  server = await aServer(undefined, undefined, undefined, '1.35');
});

const patch = (expression: string) => ({ patchType: 'JSONPatch', jsonPatch: { expression } });
const configuration = (expression: string) => ({ patchType: 'ApplyConfiguration', applyConfiguration: { expression } });
const onPods = {
  matchConstraints: {
    resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['pods'] }],
  },
};

async function enact(mutations: readonly object[], more: object = {}, name = 'p'): Promise<void> {
  const policy = { ...aPolicy(name, { mutations, ...more }), apiVersion: v1beta1, kind: 'MutatingAdmissionPolicy' };
  expect((await server.ask('POST', policies, policy)).body.message).toBeUndefined();
  const { metadata } = aBinding(name);
  const binding = { apiVersion: v1beta1, kind: 'MutatingAdmissionPolicyBinding', metadata, spec: { policyName: name } };
  expect((await server.ask('POST', bindings, binding)).body.message).toBeUndefined();
}

async function create(data: Record<string, string>, labels: object = {}): Promise<KubeObject> {
  const object = { ...named('ConfigMap', 'a', { data }), metadata: { name: 'a', labels } };
  return (await server.ask('POST', configMaps, object)).body;
}

function aPod(spec: object = {}): KubeObject {
  return named('Pod', 'a', { spec: { containers: [{ name: 'main', image: 'a' }], ...spec } });
}

// what a policy does | to this data | makes this data
const changes: [string, object, Record<string, string>, Record<string, string>][] = [
  [
    'adds by a patch',
    patch("[JSONPatch{op: 'add', path: '/data/b', value: object.data.a + '2'}]"),
    { a: '1' },
    { a: '1', b: '12' },
  ],
  [
    'escapes keys',
    patch("[JSONPatch{op: 'remove', path: '/data/' + jsonpatch.escapeKey('a~b')}]"),
    { 'a~b': '1', c: '' },
    { c: '' },
  ],
  [
    'adds what it replaces',
    patch("[JSONPatch{op: 'replace', path: '/data/b', value: '2'}]"),
    { a: '1' },
    { a: '1', b: '2' },
  ],
  ['moves', patch("[JSONPatch{op: 'move', from: '/data/a', path: '/data/b'}]"), { a: '1' }, { b: '1' }],
  [
    'leaves it when a test fails',
    patch("[JSONPatch{op: 'test', path: '/data/a', value: '2'}, JSONPatch{op: 'remove', path: '/data/a'}]"),
    { a: '1' },
    { a: '1' },
  ],
  [
    'does nothing by an empty patch',
    patch("has(object.data.x) ? [JSONPatch{op: 'remove', path: '/data/x'}] : []"),
    { a: '1' },
    { a: '1' },
  ],
  [
    'merges a configuration',
    configuration("Object{data: {'b': '2', 'a': string(size(object.data))}}"),
    { a: 'x', c: '3' },
    { a: '2', b: '2', c: '3' },
  ],
];
test.each(changes)('a policy %s', async (_, mutation, data, result) => {
  await enact([mutation]);
  expect((await create(data)).data).toEqual(result);
});

test('mutations are made one after the other, each seeing what the one before made, and validation sees them all', async () => {
  await enact([
    patch("[JSONPatch{op: 'add', path: '/data/b', value: 'x'}]"),
    patch("[JSONPatch{op: 'copy', from: '/data/b', path: '/data/c'}]"),
    configuration("Object{metadata: Object.metadata{labels: {'size': string(object.data.size())}}}"),
  ]);
  expect(await create({ a: '' })).toMatchObject({ data: { b: 'x', c: 'x' }, metadata: { labels: { size: '3' } } });
});

test('lists with keys are merged, and what is nested is named by its fields', async () => {
  const sidecar = "Object.spec.initContainers{name: 'side', image: 'proxy', restartPolicy: 'Always'}";
  const variables = [
    { name: 'has', expression: "object.spec.?initContainers.orValue([]).exists(c, c.name == 'side')" },
  ];
  const matchConditions = [
    { name: 'not-yet', expression: "!object.spec.?initContainers.orValue([]).exists(c, c.name == 'side')" },
  ];
  await enact([configuration(`Object{spec: Object.spec{initContainers: [${sidecar}]}}`)], {
    ...onPods,
    variables,
    matchConditions,
  });
  const initContainers = [{ name: 'first', image: 'b' }];
  const { body } = await server.ask('POST', pods, aPod({ initContainers }));
  expect(body.spec.initContainers.map(({ name }: { name: string }) => name)).toEqual(['first', 'side']);
  expect(body.spec.initContainers[1]).toMatchObject({
    image: 'proxy',
    restartPolicy: 'Always',
    terminationMessagePath: '/dev/termination-log',
  });
  expect(body.spec.containers).toHaveLength(1);
});

// mutation | what is said when it is tried
const failures: [object, string][] = [
  [
    patch("[JSONPatch{op: 'remove', path: '/data/nope'}]"),
    "JSON Patch: error in remove for path: '/data/nope': Unable to remove nonexistent key: nope: missing value",
  ],
  [patch("[JSONPatch{op: 'add'}]"), 'JSON Patch: add operation does not apply: doc is missing path: "": missing value'],
  [patch("[JSONPatch{op: 'nope', path: '/data'}]"), 'JSON Patch: Unexpected kind: nope'],
  [
    patch("[JSONPatch{op: 'copy', path: '/data/b'}]"),
    'JSON Patch: copy operation failed to decode from: operation, missing from field: missing value',
  ],
  [
    patch("[JSONPatch{op: 'test', path: '/spec/a', value: 1}]"),
    'JSON Patch: test operation does not apply: is missing path: /spec/a: missing value',
  ],
  [
    patch("[JSONPatch{op: 'add', path: '/data/b', value: object.data.nope}]"),
    "expression '[JSONPatch{op: 'add', path: '/data/b', value: object.data.nope}]' resulted in error: no such key: nope",
  ],
  [
    configuration('Object{data: Object.wrong{a: "b"}}'),
    'type mismatch: unexpected type name "Object.wrong", expected "Object.data", which matches field name path from root Object type',
  ],
  [
    configuration('Object{nope: "b"}'),
    'error applying patch: failed to convert patch object to typed object: .nope: field not declared in schema',
  ],
];
test.each(failures)('a mutation that cannot be made refuses the request: %j', async (mutation, why) => {
  await enact([mutation]);
  const { code, reason, message, details } = (await create({ a: '1' })) as never as {
    code: number;
    reason: string;
    message: string;
    details: object;
  };
  expect([code, reason]).toEqual([403, 'Invalid']);
  expect(message).toContain(`policy 'p' with binding 'p-binding' denied request: ${why}`);
  expect(details).toMatchObject({ name: 'a', kind: 'configmaps', causes: [{ message }] });
});

test('what is only ever replaced as a whole cannot be applied', async () => {
  await enact(
    [configuration("Object{spec: Object.spec{containers: [Object.spec.containers{name: 'main', args: ['a']}]}}")],
    onPods,
  );
  const { body } = await server.ask('POST', pods, aPod());
  expect(body.message).toMatch(
    /error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: \.spec\.containers\[0\]\.args$/,
  );
});

test('a policy that fails open leaves the object as it was', async () => {
  await enact([patch("[JSONPatch{op: 'remove', path: '/data/nope'}]")], { failurePolicy: 'Ignore' });
  expect((await create({ a: '1' })).data).toEqual({ a: '1' });
});

test('a field that the kind does not have is a mistake of the policy', async () => {
  await enact([patch("[JSONPatch{op: 'add', path: '/nope', value: 'x'}]")]);
  expect(await create({ a: '1' })).toMatchObject({
    code: 500,
    message: 'Internal error occurred: strict decoding error: unknown field "nope"',
  });
});

test('a policy sees what others did after it, if it wants to, once', async () => {
  const count = patch("[JSONPatch{op: 'add', path: '/data/seen', value: string(object.data.size())}]");
  await enact([count], { reinvocationPolicy: 'IfNeeded' }, 'a');
  await enact([patch("[JSONPatch{op: 'add', path: '/data/b', value: 'x'}]")], {}, 'b');
  expect((await create({ a: '' })).data).toEqual({ a: '', b: 'x', seen: '3' });
});

test('a policy sees what it did itself, if it wants to, once', async () => {
  const append = patch("[JSONPatch{op: 'replace', path: '/data/a', value: object.data.a + 'x'}]");
  await enact([append], { reinvocationPolicy: 'IfNeeded' });
  expect((await create({ a: '1' })).data).toEqual({ a: '1xx' });
});

test('a mutation does not see what the system says of a new object, and cannot change it', async () => {
  const uid = configuration("Object{metadata: Object.metadata{uid: 'mine'}}");
  const seen = "Object{data: {'seen': string(has(object.metadata.creationTimestamp))}}";
  await enact([configuration(seen), uid]);
  const { metadata, data } = await create({ a: '' });
  expect([data, metadata.uid]).toEqual([{ a: '', seen: 'false' }, expect.not.stringMatching('mine')]);
});

test('without wanting to, it runs once', async () => {
  const count = patch("[JSONPatch{op: 'add', path: '/data/seen', value: string(object.data.size())}]");
  await enact([count], {}, 'a');
  await enact([patch("[JSONPatch{op: 'add', path: '/data/b', value: 'x'}]")], {}, 'b');
  expect((await create({ a: '' })).data).toEqual({ a: '', b: 'x', seen: '1' });
});

test('labels that a policy takes away are not there for its next mutation', async () => {
  const remove = patch("object.metadata.labels.map(k, JSONPatch{op: 'remove', path: '/metadata/labels/' + k})");
  await enact([remove, patch("[JSONPatch{op: 'remove', path: '/metadata/labels'}]")]);
  const { message } = (await create({}, { app: 'a' })) as never as { message: string };
  expect(message).toContain("error in remove for path: '/metadata/labels'");
});

test('a value of a wrong type is a mistake of the policy', async () => {
  await enact([patch("[JSONPatch{op: 'add', path: '/data/b', value: 1}]")]);
  expect(await create({ a: '1' })).toMatchObject({
    code: 500,
    message:
      'Internal error occurred: json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
  });
});

test('parameters of a kind that is not served keep a policy from changing anything', async () => {
  const paramKind = { apiVersion: 'example.com/v1', kind: 'Nope' };
  await enact([patch("[JSONPatch{op: 'remove', path: '/data/a'}]")], { paramKind });
  const { message } = (await create({ a: '1' })) as never as { message: string };
  expect(message).toBe(
    'policy "p" denied request: failed to configure policy: failed to find resource referenced by paramKind: ' +
      "'example.com/v1, Kind=Nope'",
  );
});

test('parameters select what is done', async () => {
  await server.ask('POST', configMaps, named('ConfigMap', 'defaults', { data: { team: 'blue' } }));
  const mutation = configuration("Object{metadata: Object.metadata{labels: {'team': string(params.data.team)}}}");
  const policy = {
    ...aPolicy('p', { ...onPods, paramKind: { apiVersion: 'v1', kind: 'ConfigMap' }, mutations: [mutation] }),
    apiVersion: v1beta1,
    kind: 'MutatingAdmissionPolicy',
  };
  await server.ask('POST', policies, policy);
  const paramRef = { name: 'defaults', parameterNotFoundAction: 'Deny' };
  const binding = {
    apiVersion: v1beta1,
    kind: 'MutatingAdmissionPolicyBinding',
    metadata: { name: 'b' },
    spec: { policyName: 'p', paramRef },
  };
  await server.ask('POST', bindings, binding);
  expect((await server.ask('POST', pods, aPod())).body.metadata.labels).toEqual({ team: 'blue' });
});

test('both versions show the same policies', async () => {
  await enact([patch("[JSONPatch{op: 'test', path: '/kind', value: 'ConfigMap'}]")]);
  const alpha = await server.ask('GET', '/apis/admissionregistration.k8s.io/v1alpha1/mutatingadmissionpolicies/p');
  expect(alpha.body).toMatchObject({
    apiVersion: 'admissionregistration.k8s.io/v1alpha1',
    spec: { reinvocationPolicy: 'Never' },
  });
});

test('a server of 1.36 takes them in v1, acts on them, and tells their schema by that name', async () => {
  const version = 'admissionregistration.k8s.io/v1';
  const { ask } = await aServer(undefined, undefined, undefined, '1.36');
  const metadata = { name: 'p' };
  const mutations = [patch("[JSONPatch{op: 'add', path: '/data/by', value: 'v1'}]")];
  const policy = { ...aPolicy('p', { mutations }), apiVersion: version, kind: 'MutatingAdmissionPolicy' };
  const binding = { apiVersion: version, kind: 'MutatingAdmissionPolicyBinding', metadata, spec: { policyName: 'p' } };
  const made = await ask('POST', `/apis/${version}/mutatingadmissionpolicies`, policy);
  expect(made).toMatchObject({ status: 201, body: { apiVersion: version, spec: { reinvocationPolicy: 'Never' } } });
  expect((await ask('POST', `/apis/${version}/mutatingadmissionpolicybindings`, binding)).status).toBe(201);
  const object = named('ConfigMap', 'a', { data: { a: '1' } });
  expect((await ask('POST', configMaps, object)).body.data).toEqual({ a: '1', by: 'v1' });
  const { schemas } = (await ask('GET', `/openapi/v3/apis/${version}`)).body.components;
  expect(schemas['io.k8s.api.admissionregistration.v1.MutatingAdmissionPolicy']).toMatchObject({
    'x-kubernetes-group-version-kind': [
      { group: 'admissionregistration.k8s.io', version: 'v1', kind: 'MutatingAdmissionPolicy' },
    ],
  });
});

// spec | what is wrong with it
const refused: [object, string][] = [
  [{ mutations: [] }, 'spec.mutations: Required value: mutations must contain at least one item'],
  [
    { mutations: [{ patchType: 'Nope' }] },
    'spec.mutations[0].patchType: Unsupported value: "Nope": supported values: "ApplyConfiguration", "JSONPatch"',
  ],
  [
    { mutations: [{ patchType: 'JSONPatch' }] },
    'spec.mutations[0].jsonPatch: Required value: must be specified when patchType is JSONPatch',
  ],
  [
    { mutations: [patch('object')] },
    'spec.mutations[0].jsonPatch.expression: Invalid value: "object": must evaluate to list(JSONPatch) but got dyn',
  ],
  [{ mutations: [configuration("{'a': 'b'}")] }, 'must evaluate to Object but got map(string, string)'],
  [{ mutations: [patch('variables.nope')] }, "undefined field 'nope'"],
  [{ mutations: [patch('[JSONPatch{op: 1}]')] }, "expected type of field 'op' is 'string' but provided type is 'int'"],
  [{ mutations: [patch('[JSONPatch{nope: 1}]')] }, "expected type of field 'nope' is '' but provided type is 'int'"],
  [
    {
      mutations: [patch('[]')],
      matchConstraints: {
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['DELETE'], resources: ['pods'] }],
      },
    },
    'spec.matchConstraints.resourceRules.operations: Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE"',
  ],
  [
    { mutations: [patch('[]')], reinvocationPolicy: 'Always' },
    'spec.reinvocationPolicy: Unsupported value: "Always": supported values: "IfNeeded", "Never"',
  ],
];
test.each(refused)('a policy that makes no sense is refused: %j', async (spec, why) => {
  const policy = { ...aPolicy('p', spec), apiVersion: v1beta1, kind: 'MutatingAdmissionPolicy' };
  const { status, body } = await server.ask('POST', policies, policy);
  expect(status).toBe(422);
  expect(body.message).toContain(why);
});

test('a binding without its parameters has no reason of its own, and comes first', async () => {
  const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' };
  const policy = aPolicy('p', { mutations: [patch("[JSONPatch{op: 'remove', path: '/no'}]")], paramKind });
  await server.ask('POST', policies, { ...policy, apiVersion: v1beta1, kind: 'MutatingAdmissionPolicy' });
  const bind = (name: string, spec: object) =>
    server.ask('POST', bindings, {
      apiVersion: v1beta1,
      kind: 'MutatingAdmissionPolicyBinding',
      metadata: { name },
      spec: { policyName: 'p', ...spec },
    });
  await bind('a', {});
  await bind('b', { paramRef: { name: 'none', parameterNotFoundAction: 'Deny' } });
  const { reason, details } = (await create({})) as never as { reason: string; details: { causes: object[] } };
  expect([reason, details.causes.length]).toEqual(['Forbidden', 2]);
  expect(details.causes[0]).toMatchObject({
    message: expect.stringContaining("with binding 'b' denied request: failed"),
  });
});

const deployments = '/apis/apps/v1/namespaces/default/deployments';

async function deploy(): Promise<void> {
  const labels = { app: 'a' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'a' }] } };
  const spec = { replicas: 1, selector: { matchLabels: labels }, template };
  await server.ask('POST', deployments, { ...named('Deployment', 'a', { spec }), apiVersion: 'apps/v1' });
}

const onDeployments = (resource: string) => ({
  matchConstraints: {
    resourceRules: [{ apiGroups: ['apps'], apiVersions: ['v1'], operations: ['UPDATE'], resources: [resource] }],
  },
});
const merging = { 'content-type': 'application/merge-patch+json' };

test('a policy cannot change more of an object than the request', async () => {
  await deploy();
  await enact(
    [patch("[JSONPatch{op: 'replace', path: '/spec/replicas', value: 7}]")],
    onDeployments('deployments/status'),
  );
  const { body } = await server.ask('PATCH', `${deployments}/a/status`, { status: { replicas: 2 } }, merging);
  expect(body).toMatchObject({ metadata: { generation: 1 }, spec: { replicas: 1 }, status: { replicas: 2 } });
  expect(body.metadata.managedFields).toHaveLength(2);
});

test('a name that a policy changes is the one of the error', async () => {
  await deploy();
  await enact([configuration("Object{metadata: Object.metadata{name: 'z'}}")], onDeployments('deployments'));
  const { body } = await server.ask('PATCH', `${deployments}/a`, { spec: { replicas: 2 } }, merging);
  expect(body.message).toBe('Deployment.apps "z" is invalid: metadata.name: Invalid value: "z": field is immutable');
});

test('a configuration cannot be applied to a Scale, whose type has no schema', async () => {
  await deploy();
  await enact([configuration('Object{spec: Object.spec{replicas: 3}}')], onDeployments('deployments/scale'));
  const { body } = await server.ask('PATCH', `${deployments}/a/scale`, { spec: { replicas: 9 } }, merging);
  expect(body.message).toContain('no corresponding type for autoscaling/v1, Kind=Scale');
});

test('a policy changes a Scale, and with it the object that is scaled', async () => {
  await enact(
    [patch("[JSONPatch{op: 'replace', path: '/spec/replicas', value: 3}]")],
    onDeployments('deployments/scale'),
  );
  await deploy();
  const scaled = await server.ask('PATCH', `${deployments}/a/scale`, { spec: { replicas: 9 } }, merging);
  expect(scaled.body).toMatchObject({ spec: { replicas: 3 } });
  expect((await server.ask('GET', `${deployments}/a`)).body.spec?.replicas).toBe(3);
});
