import { admin, aServer, named, replyOf } from '@slipway/devcluster/testing/a-server';
import type { KubeObject } from '@slipway/kube';
import { beforeEach, describe, expect, test } from 'vitest';
import { aBinding, aPolicy, bindingsPath, policiesPath } from './testing/a-policy.js';

// Policies as feature servers make them: a field that was turned off must not come back, while
// objects that have it may keep it, lose it and go.

let server: Awaited<ReturnType<typeof aServer>>;
beforeEach(async () => {
  server = await aServer();
});

const merge = { 'content-type': 'application/merge-patch+json' };
const sets = '/apis/apps/v1/namespaces/default/statefulsets';
const pods = '/api/v1/namespaces/default/pods';

function aSet(name: string, grace: number | undefined, labels: object = {}): KubeObject {
  const template = { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'a', image: 'a' }] } };
  const spec = { selector: { matchLabels: { app: name } }, serviceName: '', template };
  const guarded =
    grace === undefined ? {} : { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: grace } } };
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name, labels },
    spec: { ...spec, minReadySeconds: 0, ...guarded },
  } as KubeObject;
}

function guard(resource: { group: string; plural: string }, validation: object, more: object = {}) {
  const rule = {
    apiGroups: [resource.group],
    apiVersions: ['*'],
    operations: ['CREATE', 'UPDATE'],
    resources: [resource.plural],
  };
  return aPolicy('slipway-guard-kube-system-x', {
    failurePolicy: 'Fail',
    matchConstraints: { resourceRules: [rule], matchPolicy: 'Equivalent' },
    validations: [validation],
    ...more,
  });
}

async function enact(policy: KubeObject): Promise<void> {
  const name = policy.metadata.name ?? '';
  expect((await server.ask('POST', policiesPath, policy)).body.message).toBeUndefined();
  const binding = aBinding(name, { validationActions: ['Deny', 'Audit'] });
  expect((await server.ask('POST', bindingsPath, binding)).status).toBe(201);
}

describe('a guard of a field', () => {
  const field = 'spec.?updateStrategy.?rollingUpdate.?partition';
  const policy = guard(
    { group: 'apps', plural: 'statefulsets' },
    {
      expression: `!object.?${field}.hasValue() || object.${field}.orValue(0) == 0 || (oldObject != null && oldObject.?${field}.orValue(0) != 0)`,
      messageExpression: "'feature MaxUnavailable is off; see: slipway feature get x -n ' + request.namespace",
    },
  );

  beforeEach(async () => {
    await server.ask('POST', sets, aSet('before', 3));
    await server.ask('POST', sets, aSet('without', undefined));
    await enact(policy);
  });

  test('does not let it come', async () => {
    const created = await server.ask('POST', sets, aSet('new', 3));
    expect(created.status).toBe(422);
    expect(created.body.message).toMatch(
      /denied request: feature MaxUnavailable is off; see: slipway feature get x -n default$/,
    );
    const spec = aSet('without', 3).spec;
    expect((await server.ask('PATCH', `${sets}/without`, { spec }, merge)).status).toBe(422);
    expect((await server.ask('POST', sets, aSet('free', undefined))).status).toBe(201);
  });

  test('lets what has it keep it, change otherwise, lose it and go', async () => {
    const labels = { metadata: { labels: { a: 'b' } } };
    expect((await server.ask('PATCH', `${sets}/before`, labels, merge)).status).toBe(200);
    const without = [{ op: 'remove', path: '/spec/updateStrategy/rollingUpdate' }];
    const headers = { 'content-type': 'application/json-patch+json' };
    expect((await server.ask('PATCH', `${sets}/before?fieldManager=slipway-features`, without, headers)).status).toBe(
      200,
    );
    expect((await server.ask('PATCH', `${sets}/before`, { spec: aSet('before', 3).spec }, merge)).status).toBe(422);
    expect((await server.ask('DELETE', `${sets}/before`)).status).toBe(200);
  });
});

describe('a guard of elements of a list', () => {
  const expression =
    'object.spec.?volumes.orValue([]).filter(v, has(v.emptyDir)).all(v, oldObject != null && ' +
    'oldObject.spec.?volumes.orValue([]).exists(o, o.name == v.name && has(o.emptyDir)))';
  const aPod = (name: string, volumes: readonly object[]) =>
    named('Pod', name, { spec: { containers: [{ name: 'a', image: 'a' }], volumes } });

  test('compares them by name', async () => {
    await server.ask('POST', pods, aPod('before', [{ name: 'scratch', emptyDir: {} }]));
    await enact(guard({ group: '', plural: 'pods' }, { expression }));
    expect((await server.ask('POST', pods, aPod('new', [{ name: 'scratch', emptyDir: {} }]))).status).toBe(422);
    expect((await server.ask('POST', pods, aPod('other', [{ name: 'c', configMap: { name: 'c' } }]))).status).toBe(201);
    const labels = { metadata: { labels: { a: 'b' } } };
    expect((await server.ask('PATCH', `${pods}/before`, labels, merge)).status).toBe(200);
  });
});

test('a guard is not asked about status, nor about what its own server restores', async () => {
  const matchConditions = [
    { name: 'not-status', expression: "!has(request.subResource) || request.subResource != 'status'" },
    {
      name: 'not-slipway',
      expression: "request.userInfo.username != 'system:serviceaccount:slipway-system:feature-server'",
    },
  ];
  await enact(guard({ group: 'apps', plural: 'statefulsets' }, { expression: 'false' }, { matchConditions }));
  expect((await server.ask('POST', sets, aSet('a', 1))).status).toBe(422);
  const user = { name: 'system:serviceaccount:slipway-system:feature-server', groups: admin.groups };
  const body = { value: aSet('a', 1) };
  const answer = await server.api.handle({ method: 'POST', path: sets, headers: {}, user, body });
  expect(replyOf(answer).status).toBe(201);
});

test('a dry run is refused as the write would be, which proves that a guard is active', async () => {
  await enact(
    guard({ group: 'apps', plural: 'statefulsets' }, { expression: '!has(object.spec.updateStrategy.rollingUpdate)' }),
  );
  expect((await server.ask('POST', `${sets}?dryRun=All`, aSet('a', 1))).status).toBe(422);
  await server.ask('DELETE', `${policiesPath}/slipway-guard-kube-system-x`);
  expect((await server.ask('POST', `${sets}?dryRun=All`, aSet('a', 1))).status).toBe(201);
});
