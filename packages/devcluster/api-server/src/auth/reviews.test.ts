import { beforeEach, expect, test } from 'vitest';
import { aBinding, aRole, aServerWithRoles, askAs, aUser, rbacPaths } from './testing/ask-as.js';

const access = '/apis/authorization.k8s.io/v1';
const listPods = { verb: 'list', resource: 'pods', namespace: 'default' };
let server: Awaited<ReturnType<typeof aServerWithRoles>>;

beforeEach(async () => {
  server = await aServerWithRoles();
  await server.ask('POST', rbacPaths.roles, aRole('pods', 'get list', 'pods', '', 'default'));
  await server.ask('POST', rbacPaths.roleBindings, aBinding('b', 'Role', 'pods', 'jane', 'default'));
});

const review = (kind: string, spec: object, more: object = {}) => ({
  apiVersion: 'authorization.k8s.io/v1',
  kind,
  ...more,
  spec,
});
const self = (spec: object) =>
  askAs(server.api, aUser('jane'))(
    'POST',
    `${access}/selfsubjectaccessreviews`,
    review('SelfSubjectAccessReview', spec),
  );
const ofSubject = (spec: object) =>
  server.ask('POST', `${access}/subjectaccessreviews`, review('SubjectAccessReview', spec));

test('a self review says what the asker may, and why', async () => {
  const yes = await self({ resourceAttributes: listPods });
  expect(yes.status).toBe(201);
  expect(yes.body).toMatchObject({ kind: 'SelfSubjectAccessReview', spec: { resourceAttributes: listPods } });
  expect(yes.body.status).toEqual({
    allowed: true,
    reason: 'RBAC: allowed by RoleBinding "b/default" of Role "pods" to User "jane"',
  });
  expect((await self({ resourceAttributes: { ...listPods, verb: 'delete' } })).body.status).toEqual({ allowed: false });
  expect((await self({ nonResourceAttributes: { path: '/apis', verb: 'get' } })).body.status.allowed).toBe(true);
});

test('a review of somebody else is about what it names, and nothing is added to that', async () => {
  const asked = async (spec: object) =>
    (await ofSubject({ resourceAttributes: listPods, ...spec })).body.status.allowed;
  expect(await asked({ user: 'jane' })).toBe(true);
  expect(await asked({ user: 'john' })).toBe(false);
  expect(await asked({ user: 'john', groups: ['system:masters'] })).toBe(true);
  const discovery = { resourceAttributes: undefined, nonResourceAttributes: { path: '/apis', verb: 'get' } };
  expect(await asked({ user: 'john', ...discovery })).toBe(false);
});

test('a node is told what it may by the selectors that it names', async () => {
  const requirements = [{ key: 'spec.nodeName', operator: 'In', values: ['n1'] }];
  const asked = async (fieldSelector: object) => {
    const resourceAttributes = { ...listPods, fieldSelector };
    return (await ofSubject({ user: 'system:node:n1', groups: ['system:nodes'], resourceAttributes })).body.status
      .allowed;
  };
  expect(await asked({ requirements })).toBe(true);
  expect(await asked({ rawSelector: 'spec.nodeName=n1' })).toBe(true);
  expect(await asked({ rawSelector: 'spec.nodeName=n2' })).toBe(false);
});

// spec | what is wrong with it
const invalid: [object, string][] = [
  [
    { user: 'jane' },
    'spec: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified',
  ],
  [
    { user: 'jane', resourceAttributes: listPods, nonResourceAttributes: { path: '/x', verb: 'get' } },
    'spec: Invalid value: {"Path":"/x","Verb":"get"}: exactly one of nonResourceAttributes or resourceAttributes must be specified',
  ],
  [{ resourceAttributes: listPods }, 'spec.user: Invalid value: "": at least one of user or group must be specified'],
];

test.each(invalid)('a review of %o is refused', async (spec, says) => {
  const { status, body } = await ofSubject(spec);
  expect(status).toBe(422);
  expect(body.message).toMatch(/^\.authorization\.k8s\.io "" is invalid: /);
  expect(body.message).toContain(says);
});

test('a local review is about its namespace', async () => {
  const path = `${access}/namespaces/default/localsubjectaccessreviews`;
  const ask = (spec: object) => server.ask('POST', path, review('LocalSubjectAccessReview', { user: 'jane', ...spec }));
  expect((await ask({ resourceAttributes: listPods })).body.status.allowed).toBe(true);
  const elsewhere = await ask({ resourceAttributes: { ...listPods, namespace: 'other' } });
  expect(elsewhere.body.message).toContain('must match metadata.namespace');
  const paths = await ask({ nonResourceAttributes: { path: '/x', verb: 'get' } });
  expect(paths.body.message).toContain('disallowed on this kind of request');
});

test('a rules review lists what roles give, and says when that is not all', async () => {
  const rulesOf = async (user = aUser('jane'), namespace = 'default') => {
    const body = review('SelfSubjectRulesReview', { namespace });
    return (await askAs(server.api, user)('POST', `${access}/selfsubjectrulesreviews`, body)).body;
  };
  const { status } = await rulesOf();
  expect(status.incomplete).toBe(false);
  expect(status.resourceRules).toContainEqual({ verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] });
  expect(status.nonResourceRules).toContainEqual({
    verbs: ['get'],
    nonResourceURLs: ['/healthz', '/livez', '/readyz', '/version', '/version/'],
  });
  await server.ask('POST', rbacPaths.roleBindings, aBinding('x', 'Role', 'gone', 'jane', 'default'));
  expect((await rulesOf()).status).toMatchObject({
    incomplete: true,
    evaluationError: 'role.rbac.authorization.k8s.io "gone" not found',
  });
  expect((await rulesOf(aUser('jane'), '')).message).toBe('no namespace on request');
});

test('reviews are asked, and never stored, listed or watched', async () => {
  for (const [method, query] of [
    ['GET', ''],
    ['GET', '?watch=true'],
    ['DELETE', ''],
  ] as const) {
    const { status } = await server.ask(method, `${access}/selfsubjectaccessreviews${query}`);
    expect(status).toBe(405);
  }
});
