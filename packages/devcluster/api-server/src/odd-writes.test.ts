import { aServer, named } from '@slipway/devcluster/testing/a-server';
import { beforeAll, expect, test } from 'vitest';

// What the comparison with a real API server on generated requests found, of 1.37.2.

const core = '/api/v1/namespaces/default';
const roles = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles';
const strategic = { 'content-type': 'application/strategic-merge-patch+json' };
const apply = { 'content-type': 'application/apply-patch+yaml' };
const jsonPatch = { 'content-type': 'application/json-patch+json' };

let ask: Awaited<ReturnType<typeof aServer>>['ask'];
beforeAll(async () => {
  const isEnabled = (gate: string) => gate === 'StrictIPCIDRValidation';
  ({ ask } = await aServer(undefined, undefined, undefined, '1.37', { isEnabled }));
  await ask('POST', `${core}/configmaps`, named('ConfigMap', 'c', { data: { a: '1' } }));
  await ask('POST', `${core}/events`, named('Event', 'e', { involvedObject: { namespace: 'default' } }));
  await ask('POST', roles, { metadata: { name: 'r' } });
});

test('a create whose name is taken says that it could not draw another when it has a prefix for one', async () => {
  const { status, body } = await ask('POST', `${core}/configmaps`, { metadata: { name: 'c', generateName: 'a-' } });
  expect([status, body.message, body.details.retryAfterSeconds]).toEqual([
    409,
    'configmaps "c" already exists, the server was not able to generate a unique name for the object',
    1,
  ]);
});

// path | whether a create and an update refuse a generateName that names cannot begin with
const prefixes: readonly (readonly [string, object, number, number])[] = [
  [`${core}/configmaps`, {}, 422, 422],
  [`${core}/events`, { involvedObject: { namespace: 'default' } }, 409, 200],
  ['/apis/coordination.k8s.io/v1/namespaces/default/leases', {}, 422, 200],
];

test.each(prefixes)('generateName in %s', async (path, fields, onCreate, onUpdate) => {
  const object = { ...fields, metadata: { name: 'prefix', generateName: 'A' } };
  await ask('POST', path, { ...fields, metadata: { name: 'prefix' } });
  const { resourceVersion } = (await ask('GET', `${path}/prefix`)).body.metadata;
  expect((await ask('POST', path, object)).status).toBe(onCreate);
  const update = { ...object, metadata: { ...object.metadata, resourceVersion } };
  expect((await ask('PUT', `${path}/prefix`, update)).status).toBe(onUpdate);
});

test('numbers that are too large for their field wrap in a strategic merge, and fail in a merge patch', async () => {
  expect((await ask('PATCH', `${core}/events/e`, { count: 2 ** 31 }, strategic)).body.count).toBe(-(2 ** 31));
  const merge = { 'content-type': 'application/merge-patch+json' };
  expect((await ask('PATCH', `${core}/events/e`, { count: 2 ** 31 }, merge)).status).toBe(422);
});

// strategic merge of a ConfigMap | what it says of the misfit
const misfits: readonly (readonly [object, string])[] = [
  [{ metadata: { labels: { a: [] } } }, 'unrecognized type: string'],
  [{ metadata: { labels: { a: 1 } } }, 'cannot convert int64 to string'],
  [{ metadata: { annotations: 5 } }, 'cannot restore map from int64'],
  [{ metadata: { finalizers: 'a' } }, 'cannot restore slice from string'],
  [{ immutable: 'a' }, 'unrecognized type: bool'],
];

test.each(misfits)('a strategic merge of %j', async (patch, why) => {
  const { body } = await ask('PATCH', `${core}/configmaps/c`, patch, strategic);
  expect(body.message).toMatch(new RegExp(`${why}$`));
});

test('an operation of a JSON patch without a value sets null', async () => {
  const patch = [{ op: 'add', path: '/data' }];
  expect((await ask('PATCH', `${core}/configmaps/c`, patch, jsonPatch)).body.data).toBeUndefined();
});

test('empty lists that are always written are null once they were stored, and as they were sent in a dry run', async () => {
  const role = { metadata: { name: 'empty' }, rules: [] };
  expect((await ask('POST', `${roles}?dryRun=All`, role)).body.rules).toEqual([]);
  expect((await ask('POST', roles, role)).body.rules).toBeNull();
});

test('roles cannot be deleted without being read', async () => {
  const { status, body } = await ask('DELETE', `${roles}/r?ignoreStoreReadErrorWithClusterBreakingPotential=true`);
  expect([status, body.message]).toEqual([
    500,
    'Internal error occurred: no unsafe deleter provided, can not honor ignoreStoreReadErrorWithClusterBreakingPotential',
  ]);
});

test('the key of an object is without its prefix in errors of a dry run', async () => {
  const update = { metadata: { name: 'c', uid: 'other' } };
  const messageOf = async (query: string) => (await ask('PUT', `${core}/configmaps/c${query}`, update)).body.message;
  expect(await messageOf('')).toMatch(/Key: \/registry\/configmaps\/default\/c,/);
  expect(await messageOf('?dryRun=All')).toMatch(/Key: \/configmaps\/default\/c,/);
});

test('a list refuses its options before its field selector, and some kinds to be selected by namespace', async () => {
  const both = await ask('GET', `${core}/configmaps?fieldSelector=a%3Db&sendInitialEvents=false`);
  expect(both.body.message).toMatch(/sendInitialEvents is forbidden for list/);
  const nodes = await ask('GET', '/api/v1/nodes?fieldSelector=metadata.namespace%3Da');
  expect([nodes.status, nodes.body.message]).toEqual([400, 'field label not supported: metadata.namespace']);
});

test('YAML cannot write half a character as JSON can', async () => {
  const applied = async (text: string) => {
    const object = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"y"},"data":{"a":"${text}"}}`;
    return (await ask('PATCH', `${core}/configmaps/y?fieldManager=a`, object, apply)).body;
  };
  expect((await applied('\\ud83d\\ude00')).message).toMatch(/invalid Unicode character escape code/);
  expect((await applied('\\\\ud83d')).data).toEqual({ a: '\\ud83d' });
});

test('a gate holds addresses to strict rules', async () => {
  const { ask: askOlder } = await aServer(undefined, undefined, undefined, '1.35');
  const slice = { metadata: { name: 's' }, addressType: 'IPv4', endpoints: [{ addresses: ['010.0.0.1'] }] };
  const path = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';
  expect((await ask('POST', path, slice)).body.message).toMatch(/must not have leading 0s/);
  const older = await askOlder('POST', path, slice);
  expect([older.status, older.warnings]).toEqual([
    201,
    ['endpoints[0].addresses[0]: non-standard IP address "010.0.0.1" is invalid: use "10.0.0.1"'],
  ]);
});

test('a pod cannot ask for less than its containers', async () => {
  const spec = {
    containers: [{ name: 'a', image: 'a', resources: { requests: { cpu: '2' }, limits: { cpu: '3' } } }],
    resources: { requests: { cpu: '1', 'example.dev/a': '1' }, limits: { cpu: '1' } },
  };
  const template = { metadata: { name: 't' }, template: { spec } };
  const { body } = await ask('POST', `${core}/podtemplates`, template);
  expect(
    body.details.causes.map(({ field, message }: { field: string; message: string }) => `${field} ${message}`),
  ).toEqual([
    'template.spec.resources.requests[example.dev/a] Unsupported value: "example.dev/a": supported values: "cpu", "hugepages-", "memory"',
    'template.spec.resources.limits Required value: Limit must be set for non overcommitable resources',
    'template.spec.resources.requests[cpu] Invalid value: "1": must be greater than or equal to aggregate container requests of 2',
    'template.spec.resources.containers[0][cpu].limits Invalid value: "3": must be less than or equal to pod limits of 1',
  ]);
});

test('a volume stays what it is', async () => {
  const volume = (hostPath: object) => ({
    metadata: { name: 'v' },
    spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, hostPath },
  });
  await ask('POST', '/api/v1/persistentvolumes', volume({ path: '/a' }));
  const { status, body } = await ask('PUT', '/api/v1/persistentvolumes/v', volume({ path: '/b' }));
  expect([status, body.message]).toEqual([
    422,
    'PersistentVolume "v" is invalid: spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation',
  ]);
});

test('ranges of the pods of a node stay once it has them', async () => {
  await ask('POST', '/api/v1/nodes', { metadata: { name: 'n' }, spec: { podCIDR: '10.1.0.0/24', providerID: 'a' } });
  const merge = { 'content-type': 'application/merge-patch+json' };
  const patched = await ask(
    'PATCH',
    '/api/v1/nodes/n',
    { spec: { podCIDRs: null, podCIDR: '', providerID: 'b' } },
    merge,
  );
  expect(patched.body.details.causes.map(({ field }: { field: string }) => field)).toEqual([
    'spec.podCIDRs',
    'spec.providerID',
  ]);
});

test('one object is watched below /watch/ alone, and paths there have the options of lists', async () => {
  expect((await ask('GET', `${core}/configmaps/c?watch=true`)).body.kind).toBe('ConfigMap');
  const options = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
  const { body } = await ask('GET', `/api/v1/watch/namespaces/default/configmaps?${options}`);
  expect(body.message).toMatch(/sendInitialEvents is forbidden for list/);
});

test('what a status does not say has its default, and a volume the time of its phase', async () => {
  await ask('POST', '/api/v1/namespaces', named('Namespace', 'team'));
  const { body: namespace } = await ask('PUT', '/api/v1/namespaces/team/status', named('Namespace', 'team'));
  expect(namespace.status).toEqual({ phase: 'Active' });

  const volume = { spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, hostPath: { path: '/a' } } };
  const path = '/api/v1/persistentvolumes';
  const made = await ask('POST', path, named('PersistentVolume', 'phased', volume));
  const write = async (status: object) =>
    (await ask('PUT', `${path}/phased/status`, named('PersistentVolume', 'phased', { ...volume, ...status }))).body
      .status;
  expect(await write({})).toEqual(made.body.status);
  expect(made.body.status).toEqual({ phase: 'Pending', lastPhaseTransitionTime: expect.any(String) });
  const lastPhaseTransitionTime = '2001-01-01T00:00:00Z';
  expect(await write({ status: { phase: 'Failed', lastPhaseTransitionTime } })).toMatchObject({
    lastPhaseTransitionTime,
  });
  const moved = await write({ status: { phase: 'Released', lastPhaseTransitionTime } });
  expect(moved.lastPhaseTransitionTime).not.toBe(lastPhaseTransitionTime);
});

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

// root of the schema, beside a status subresource | what is said of it
const roots: [object, string][] = [
  [{ type: 'b', minimum: 1 }, 'only "object" is allowed as the type at the root of the schema'],
  [{ type: 'b', $schema: 'a' }, 'fields are allowed at the root of the schema if the status subresource is enabled'],
  [{ default: {} }, 'fields are allowed at the root of the schema if the status subresource is enabled'],
];

test.each(roots)('the root of a schema beside a status subresource: %j', async (openAPIV3Schema, said) => {
  const { body } = await ask('POST', definitions, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.example.dev' },
    spec: {
      group: 'example.dev',
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      versions: [
        { name: 'v1', served: true, storage: true, subresources: { status: {} }, schema: { openAPIV3Schema } },
      ],
    },
  });
  expect(body.message).toContain(said);
  expect(body.message).not.toContain('is not supported');
});

// objects of other groups that are refused, or warned of
test.each([
  [
    '/apis/storage.k8s.io/v1/csidrivers',
    named('CSIDriver', 'c', { spec: { serviceAccountTokenInSecrets: true } }),
    'serviceAccountTokenInSecrets is set but no tokenRequests are specified',
  ],
  [
    '/apis/storage.k8s.io/v1/storageclasses',
    named('StorageClass', 's', { provisioner: 'p', parameters: { '': 'a' }, allowedTopologies: [{}] }),
    'parameters: Invalid value: "": field can not be empty., allowedTopologies[0].matchLabelExpressions: Duplicate value: ""',
  ],
  [
    '/apis/networking.k8s.io/v1/namespaces/default/ingresses',
    named('Ingress', 'i', { spec: { defaultBackend: { service: { name: 'a/b', port: { number: 1 } } } } }),
    'spec.defaultBackend.service.name: Invalid value: "a/b": a lowercase RFC 1123 label',
  ],
  [
    '/apis/events.k8s.io/v1/namespaces/default/events',
    named('Event', 'e', { eventTime: '2001-01-01T00:00:00.000000Z', type: 'Normal', series: {} }),
    'series.count: Invalid value: "": should be at least 2, series.lastObservedTime: Required value',
  ],
  [
    '/apis/node.k8s.io/v1/runtimeclasses',
    named('RuntimeClass', 'r', { handler: 'a'.repeat(64) }),
    'must be no more than 63 bytes',
  ],
  [
    '/apis/storage.k8s.io/v1/csidrivers',
    named('CSIDriver', 'c', { spec: { volumeLifecycleModes: ['a'] } }),
    'supported values: "Persistent", "Ephemeral"',
  ],
])('%s', async (path, object, said) => {
  const group = path.split('/')[2];
  const { body } = await ask('POST', path, { ...object, apiVersion: `${group}/v1` });
  expect(body.message).toContain(said);
});

test.each([
  ['/apis/apps/v1/namespaces/default/replicasets', 'ReplicaSet', 'apps/v1', { matchLabels: { app: 'a' } }],
  ['/api/v1/namespaces/default/replicationcontrollers', 'ReplicationController', 'v1', { app: 'a' }],
])('%s may not count more pods in a part than there are', async (path, kind, apiVersion, selector) => {
  const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const object = { ...named(kind, 'counted', { spec: { selector, template } }), apiVersion };
  expect((await ask('POST', path, object)).status).toBe(201);
  const write = async (status: object) =>
    (await ask('PUT', `${path}/counted/status`, { ...object, status })).body.message;
  expect(await write({ replicas: 2, readyReplicas: 2, availableReplicas: 2 })).toBeUndefined();
  expect(await write({ availableReplicas: 2 })).toContain(
    '[status.availableReplicas: Invalid value: 2: cannot be greater than status.replicas, ' +
      'status.availableReplicas: Invalid value: 2: cannot be greater than readyReplicas]',
  );
  expect(await write({ replicas: -1 })).toContain(
    'status.replicas: Invalid value: -1: must be greater than or equal to 0',
  );
});

test('a field of a node that is no longer used is warned of', async () => {
  const { headers } = await ask('POST', '/api/v1/nodes', named('Node', 'old', { spec: { externalID: 'a' } }));
  const { warnings } = await ask('POST', '/api/v1/nodes', named('Node', 'older', { spec: { externalID: 'a' } }));
  expect(JSON.stringify([headers, warnings])).toContain('spec.externalID: this field is deprecated');
});
