import { aServer, named } from '@slipway/devcluster/testing/a-server';
import type { KubeObject } from '@slipway/kube';
import { beforeEach, expect, test } from 'vitest';
import type { AuditEvent } from '../../audit/audit-log.js';
import { aBinding, aPolicy, bindingsPath, policiesPath } from './testing/a-policy.js';

const configMaps = '/api/v1/namespaces/default/configmaps';
const namespaces = '/api/v1/namespaces';
const deployments = '/apis/apps/v1/namespaces/default/deployments';

let server: Awaited<ReturnType<typeof aServer>>;
beforeEach(async () => {
  server = await aServer();
});

/** Stores a policy and binds it. */
async function enact(spec: object, binding: object = {}, name = 'p'): Promise<void> {
  const policy = await server.ask('POST', policiesPath, aPolicy(name, spec));
  expect(policy.body.message ?? policy.status).toBe(201);
  const bound = await server.ask('POST', bindingsPath, aBinding(name, binding));
  expect(bound.body.message ?? bound.status).toBe(201);
}

function aDeployment(name: string, replicas: number, more: object = {}): KubeObject {
  const labels = { app: name };
  const containers = [{ name: 'main', image: 'registry.example/app:1' }];
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers } },
      ...more,
    },
  };
}

const onDeployments = {
  matchConstraints: {
    resourceRules: [
      { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['deployments'] },
    ],
  },
};

test('a policy that does not hold refuses, in the words of Kubernetes', async () => {
  await enact({ ...onDeployments, validations: [{ expression: 'object.spec.replicas <= 5' }] });
  expect((await server.ask('POST', deployments, aDeployment('a', 5))).status).toBe(201);
  const refused = await server.ask('POST', deployments, aDeployment('b', 6));
  const why =
    "ValidatingAdmissionPolicy 'p' with binding 'p-binding' denied request: failed expression: object.spec.replicas <= 5";
  expect(refused).toMatchObject({
    status: 422,
    body: {
      message: `deployments.apps "b" is forbidden: ${why}`,
      reason: 'Invalid',
      details: { name: 'b', group: 'apps', kind: 'deployments', causes: [{ message: why }] },
      code: 422,
    },
  });
});

/** What creating a config map with `data` is answered: 201, or why not, without the beginning that all have. */
async function create(name: string, data: Record<string, string> = {}, metadata: object = {}) {
  const object = { ...named('ConfigMap', name, { data }), metadata: { name, ...metadata } };
  const { status, body } = await server.ask('POST', configMaps, object);
  if (status === 201) return 201;
  return String(body.message).replace(
    /^configmaps "\w+" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p-binding' denied request: /,
    '',
  );
}

// what is asked | data of a config map | 201, or what is said about it
const validations: [string, object, Record<string, string>, string | number][] = [
  ['a message', { expression: 'false', message: ' never ' }, {}, 'never'],
  [
    'a message made by an expression',
    { expression: 'false', messageExpression: "'no ' + object.metadata.name" },
    {},
    'no a',
  ],
  [
    'a message that cannot be made',
    { expression: 'false', messageExpression: 'string(object.nope)', message: 'x' },
    {},
    'x',
  ],
  ['a message of two lines', { expression: 'false', messageExpression: "'a\\nb'" }, {}, 'failed expression: false'],
  [
    'an optional field',
    { expression: "object.?data.?size.orValue('') != 'big'" },
    { size: 'big' },
    "failed expression: object.?data.?size.orValue('') != 'big'",
  ],
  [
    'a field that is not there',
    { expression: "object.data.size == 'big'" },
    {},
    "expression 'object.data.size == 'big'' resulted in error: no such key: data",
  ],
  [
    'a key with a dot',
    { expression: "object.data['a.b/c'] == '1'" },
    { 'a.b': '1' },
    "expression 'object.data['a.b/c'] == '1'' resulted in error: no such key: a.b/c",
  ],
  ['no old object on create', { expression: 'oldObject == null' }, {}, 201],
  [
    'the request',
    {
      expression:
        "request.operation == 'CREATE' && request.kind.kind == 'ConfigMap' && request.resource.resource == 'configmaps' && request.namespace == 'default' && request.name == 'a' && request.userInfo.username == 'admin' && 'system:masters' in request.userInfo.groups && !request.dryRun",
    },
    {},
    201,
  ],
  ['what is not in the request', { expression: '!has(request.subResource)' }, {}, 201],
  [
    'the namespace',
    { expression: "namespaceObject.metadata.name == 'default' && namespaceObject.status.phase == 'Active'" },
    {},
    201,
  ],
  [
    'permissions',
    {
      expression:
        "authorizer.group('').resource('pods').namespace('default').check('create').allowed() && authorizer.path('/healthz').check('get').allowed()",
    },
    {},
    201,
  ],
  ['permissions for the object', { expression: "authorizer.requestResource.check('nuke').allowed()" }, {}, 201],
  [
    'permissions of another',
    {
      expression: "authorizer.serviceAccount('default', 'robot').requestResource.check('get').allowed()",
      message: 'x',
    },
    {},
    0,
  ],
  [
    'Kubernetes libraries',
    {
      expression:
        "quantity('1Gi').isGreaterThan(quantity('1G')) && url('https://a.example').getHost() == 'a.example' && ip('10.0.0.1').family() == 4",
    },
    {},
    201,
  ],
  ['sets', { expression: "sets.contains(['a', 'b'], object.data.map(k, k))" }, { a: '', b: '' }, 201],
  [
    'a regular expression',
    { expression: "object.data.all(k, object.data[k].matches('^[a-z]+$'))", message: 'letters' },
    { a: 'b', c: '1' },
    'letters',
  ],
];
test.each(validations.filter(([, , , answer]) => answer !== 0))(
  'expressions know %s',
  async (_, validation, data, answer) => {
    await enact({ validations: [validation] });
    expect(await create('a', data)).toBe(answer);
  },
);

// reason | code
const reasons: [string, number][] = [
  ['Forbidden', 403],
  ['Invalid', 422],
  ['RequestEntityTooLarge', 413],
];
test.each(reasons)('a validation has its reason: %s', async (reason, code) => {
  await enact({ validations: [{ expression: 'false', reason }] });
  expect(await server.ask('POST', configMaps, named('ConfigMap', 'a'))).toMatchObject({
    status: code,
    body: { reason, code },
  });
});

test('variables are evaluated when they are needed, once, and know those before them', async () => {
  const variables = [
    { name: 'keys', expression: 'object.data.map(key, key)' },
    { name: 'count', expression: 'variables.keys.size()' },
    { name: 'broken', expression: '1 / (variables.count - variables.count)' },
  ];
  await enact({
    variables,
    validations: [
      {
        expression: 'variables.count < 2 || variables.broken == 1',
        messageExpression: "'too many: ' + string(variables.count)",
      },
    ],
  });
  expect(await create('a', { x: '' })).toBe(201);
  expect(await create('b', { x: '', y: '' })).toBe(
    'expression \'variables.count < 2 || variables.broken == 1\' resulted in error: composited variable "broken" fails to evaluate: division by zero',
  );
});

test('match conditions leave requests out, and fail as the policy wants', async () => {
  const matchConditions = [{ name: 'labelled', expression: "object.metadata.labels['checked'] == 'true'" }];
  await enact({ matchConditions, validations: [{ expression: 'false', message: 'no' }] });
  expect(await create('a', {}, { labels: { checked: 'false' } })).toBe(201);
  expect(await create('b', {}, { labels: { checked: 'true' } })).toBe('no');
  expect(await create('c', {}, { labels: { other: '' } })).toBe(
    "expression 'object.metadata.labels['checked'] == 'true'' resulted in error: no such key: checked",
  );
  const lenient = { matchConditions, failurePolicy: 'Ignore', validations: [{ expression: 'false' }] };
  await enact({ ...lenient }, {}, 'q');
  await server.ask('DELETE', `${policiesPath}/p`);
  expect(await create('d', {}, { labels: { other: '' } })).toBe(201);
});

test('match conditions that fail alike are told once', async () => {
  const expression = "object.metadata.labels['a'] == 'b'";
  const matchConditions = ['one', 'two'].map((name) => ({ name, expression }));
  await enact({ matchConditions, validations: [{ expression: 'false' }] });
  expect(await create('a')).toBe(`expression '${expression}' resulted in error: no such key: labels`);
});

test('validation sees what the system says of a new object', async () => {
  await enact({ validations: [{ expression: 'has(object.metadata.uid) && has(object.metadata.creationTimestamp)' }] });
  expect(await create('a')).toBe(201);
});

test('a policy that fails open lets pass what it cannot decide', async () => {
  await enact({ failurePolicy: 'Ignore', validations: [{ expression: 'object.nope == 1' }] });
  expect(await create('a')).toBe(201);
});

test('a binding may warn instead, and all policies are asked for their warnings', async () => {
  const validations = [{ expression: 'false', message: 'not nice' }];
  await enact({ validations }, { validationActions: ['Warn', 'Audit'] });
  await enact({ validations: [{ expression: 'false', message: 'no' }] }, {}, 'a');
  const { status, warnings } = await server.ask('POST', configMaps, named('ConfigMap', 'x'));
  expect(status).toBe(422);
  expect(warnings).toEqual(["Validation failed for ValidatingAdmissionPolicy 'p' with binding 'p-binding': not nice"]);
});

test('policies see deletes when they want to, and dry runs always', async () => {
  const matchConstraints = {
    resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['DELETE'], resources: ['configmaps'] }],
  };
  const expression = "object == null && request.options.?propagationPolicy == optional.of('Orphan')";
  await enact({
    matchConstraints,
    validations: [{ expression: `!has(oldObject.data.keep) || (${expression})`, message: 'kept' }],
  });
  await create('a', { keep: '' });
  expect((await server.ask('DELETE', `${configMaps}/a?dryRun=All`)).status).toBe(422);
  expect((await server.ask('DELETE', `${configMaps}/a`)).body.message).toMatch(/: kept$/);
  // A delete of a collection names none of its objects.
  const { status, body } = await server.ask('DELETE', configMaps);
  expect([status, body.message]).toEqual([422, expect.stringMatching(/^configmaps "Unknown" is forbidden: /)]);
  expect((await server.ask('DELETE', `${configMaps}/a?propagationPolicy=Orphan`)).status).toBe(200);
});

test('what a policy is about follows its rules, selectors and names', async () => {
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] };
  const matchConstraints = {
    resourceRules: [rule],
    excludeResourceRules: [{ ...rule, resourceNames: ['free'] }],
    namespaceSelector: { matchLabels: { strict: 'yes' } },
    objectSelector: { matchExpressions: [{ key: 'lax', operator: 'DoesNotExist' }] },
  };
  await enact(
    { matchConstraints, validations: [{ expression: 'false' }] },
    { matchResources: { objectSelector: { matchLabels: { app: 'a' } } } },
  );
  const strict = { ...named('Namespace', 'strict'), metadata: { name: 'strict', labels: { strict: 'yes' } } };
  await server.ask('POST', namespaces, strict);
  const statusIn = async (namespace: string, name: string, labels: object) => {
    const object = { ...named('ConfigMap', name), metadata: { name, labels } };
    return (await server.ask('POST', `${namespaces}/${namespace}/configmaps`, object)).status;
  };
  expect(await statusIn('strict', 'one', { app: 'a' })).toBe(422);
  expect(await statusIn('default', 'one', { app: 'a' })).toBe(201);
  expect(await statusIn('strict', 'free', { app: 'a' })).toBe(201);
  expect(await statusIn('strict', 'two', { app: 'a', lax: '' })).toBe(201);
  expect(await statusIn('strict', 'three', { app: 'b' })).toBe(201);
});

test('an equivalent version is enough, unless the policy wants exactly its own', async () => {
  const event = {
    ...named('Event', 'e'),
    metadata: { name: 'e', namespace: 'default' },
    involvedObject: { namespace: 'default' },
    type: 'Normal',
    message: 'hello',
  };
  const rule = { apiGroups: ['events.k8s.io'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['events'] };
  const validations = [
    {
      expression: "object.apiVersion == 'events.k8s.io/v1' && object.note == 'x'",
      messageExpression: "request.requestKind.group + request.kind.group + ' ' + object.note",
    },
  ];
  await enact({ matchConstraints: { resourceRules: [rule] }, validations });
  const { body } = await server.ask('POST', '/api/v1/namespaces/default/events', event);
  expect(body.message).toMatch(/: events\.k8s\.io hello$/);
  const policy = aPolicy('p', { matchConstraints: { matchPolicy: 'Exact', resourceRules: [rule] }, validations });
  const { metadata } = (await server.ask('GET', `${policiesPath}/p`)).body;
  expect((await server.ask('PUT', `${policiesPath}/p`, { ...policy, metadata })).status).toBe(200);
  expect((await server.ask('POST', '/api/v1/namespaces/default/events', event)).status).toBe(201);
});

test('policies are not asked about policies, so that a bad one can be taken away', async () => {
  const rule = { apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*'] };
  await enact({ matchConstraints: { resourceRules: [rule] }, validations: [{ expression: 'false' }] });
  expect(await create('a')).toBe('failed expression: false');
  expect((await server.ask('DELETE', `${policiesPath}/p`)).status).toBe(200);
  expect(await create('a')).toBe(201);
});

test('the namespace of a namespace is itself, and it is judged by its own labels', async () => {
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['namespaces'] };
  const matchConstraints = { resourceRules: [rule], namespaceSelector: { matchLabels: { team: 'a' } } };
  await enact({
    matchConstraints,
    validations: [{ expression: 'request.namespace == request.name && namespaceObject == null && false' }],
  });
  const namespace = (name: string, team: string) => ({
    ...named('Namespace', name),
    metadata: { name, labels: { team } },
  });
  expect((await server.ask('POST', namespaces, namespace('x', 'a'))).status).toBe(422);
  expect((await server.ask('POST', namespaces, namespace('x', 'b'))).status).toBe(201);
});

test('status writes are another resource', async () => {
  await enact({ ...onDeployments, validations: [{ expression: 'object.spec.replicas == 1' }] });
  await server.ask('POST', deployments, aDeployment('a', 1));
  const patch = { status: { replicas: 1 } };
  const headers = { 'content-type': 'application/merge-patch+json' };
  expect((await server.ask('PATCH', `${deployments}/a/status`, patch, headers)).status).toBe(200);
  expect((await server.ask('PATCH', `${deployments}/a`, { spec: { replicas: 2 } }, headers)).status).toBe(422);
});

test('a policy about scale sees a Scale', async () => {
  const rule = { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['deployments/scale'] };
  await enact({
    matchConstraints: { resourceRules: [rule] },
    validations: [
      {
        expression:
          "object.kind == 'Scale' && request.kind.kind == 'Scale' && object.spec.replicas - oldObject.spec.replicas < 3",
      },
    ],
  });
  await server.ask('POST', deployments, aDeployment('a', 1));
  const headers = { 'content-type': 'application/merge-patch+json' };
  expect((await server.ask('PATCH', `${deployments}/a/scale`, { spec: { replicas: 3 } }, headers)).status).toBe(200);
  expect((await server.ask('PATCH', `${deployments}/a/scale`, { spec: { replicas: 9 } }, headers)).status).toBe(422);
});

test('a policy about evictions sees an Eviction', async () => {
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods/eviction'] };
  await enact({
    matchConstraints: { resourceRules: [rule] },
    validations: [{ expression: "object.kind != 'Eviction'" }],
  });
  await server.ask('POST', '/api/v1/namespaces/default/pods', {
    ...named('Pod', 'a'),
    spec: { containers: [{ name: 'a', image: 'a' }] },
  });
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'a' } };
  expect((await server.ask('POST', '/api/v1/namespaces/default/pods/a/eviction', eviction)).status).toBe(422);
});

const data200 = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`key${index}`, 'x']));
const loops = 'object.data.all(a, object.data.all(b, object.data.all(c, a + b + c != object.data[a])))';

// what is asked of a large object
const bombs: [string, string][] = [
  ['loops in loops', loops],
  [
    'a regular expression that backtracks',
    "object.data.all(a, object.data.all(b, !(a + 'aaaaaaaaaaaaaaaa!').matches('^((a+)+)+$')))",
  ],
  ['a regular expression of thousands of steps', "object.data.map(k, 'aaaa').join().matches('^(a?){900}a{900}$')"],
  ['many regular expressions', "object.data.all(a, !a.matches(a + 'a{900}'))"],
  ['a text that grows', "object.data.map(k, k + k + k).join().replace('', object.data.map(k, k + k + k).join()) != ''"],
];
test.each(bombs)('a bomb is refused for what it costs: %s', async (_, expression) => {
  await enact({ validations: [{ expression }] });
  expect(await create('a', data200)).toBe(
    `expression '${expression}' resulted in error: operation cancelled: actual cost limit exceeded`,
  );
});

test('others get their turn while expensive expressions are evaluated', async () => {
  const expression = 'object.data.all(a, object.data.all(b, a + b != object.data[a]))';
  await enact({ validations: Array.from({ length: 12 }, () => ({ expression })) });
  let turns = 0;
  const count = () => {
    turns += 1;
    handle = setImmediate(count);
  };
  let handle = setImmediate(count);
  expect(await create('a', data200)).toBe(
    'validation failed due to running out of cost budget, no further validation rules will be run',
  );
  clearImmediate(handle);
  expect(turns).toBeGreaterThan(3);
});

test('what a policy says for the audit log gets there, and only there', async () => {
  const events: AuditEvent[] = [];
  server = await aServer(undefined, undefined, (event) => events.push(event));
  const spec = {
    ...onDeployments,
    validations: [{ expression: 'true' }, { expression: 'object.spec.replicas <= 5', message: 'too many' }],
    auditAnnotations: [{ key: 'size', valueExpression: "'replicas: ' + string(object.spec.replicas)" }],
  };
  await enact(spec, { validationActions: ['Audit'] });
  const answer = await server.ask('POST', deployments, aDeployment('a', 6));
  expect([answer.status, answer.warnings ?? []]).toEqual([201, []]);
  expect(events.at(-1)).toMatchObject({
    verb: 'create',
    stage: 'ResponseComplete',
    objectRef: { resource: 'deployments', namespace: 'default', apiGroup: 'apps', apiVersion: 'v1' },
    responseStatus: { code: 201 },
  });
  const { annotations = {} } = events.at(-1) ?? {};
  expect(annotations['p/size']).toBe('replicas: 6');
  expect(JSON.parse(annotations['validation.policy.admission.k8s.io/validation_failure'] ?? '')).toEqual([
    { message: 'too many', policy: 'p', binding: 'p-binding', expressionIndex: 1, validationActions: ['Audit'] },
  ]);
});
