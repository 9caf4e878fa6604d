import { expect, test } from 'vitest';
import { ManualClock } from '../testing/manual-clock.js';
import { contextAccess } from './context-access.js';
import { chooseContext, mergeKubeconfigs, parseKubeconfig } from './kubeconfig.js';
import { KubeconfigError } from './kubeconfig-error.js';

const text = `
apiVersion: v1
kind: Config
current-context: dev
contexts:
- name: dev
  context: {cluster: one, user: me, namespace: team}
- name: prod
  context: {cluster: two, user: robot}
clusters:
- name: one
  cluster:
    server: https://one:6443/
    certificate-authority-data: ${Buffer.from('CA').toString('base64')}
    tls-server-name: api.one
- name: two
  cluster: {server: "https://two", certificate-authority: certs/ca.crt, insecure-skip-tls-verify: true}
users:
- name: me
  user: {client-certificate-data: ${Buffer.from('CERT').toString('base64')}, client-key-data: ${Buffer.from('KEY').toString('base64')}}
- name: robot
  user: {token: abc, as: jane, as-groups: [a, b]}
`;

const config = await parseKubeconfig(text, '/home/me/.kube/config');

test('chooseContext() takes the current context, or the one asked for', () => {
  expect(chooseContext(config, undefined)).toMatchObject({ name: 'dev', namespace: 'team' });
  expect(chooseContext(config, 'prod')).toMatchObject({
    namespace: 'default',
    cluster: { 'certificate-authority': '/home/me/.kube/certs/ca.crt' },
  });
});

test('contextAccess() reads certificates that stand in the file', async () => {
  const access = await contextAccess(chooseContext(config, 'dev'), new ManualClock());
  expect(access.server).toBe('https://one:6443');
  expect(await access.credentials()).toEqual({
    ca: Buffer.from('CA'),
    cert: Buffer.from('CERT'),
    key: Buffer.from('KEY'),
    servername: 'api.one',
    headers: {},
  });
});

const group = 'client.authentication.k8s.io';
const plugin = { apiVersion: `${group}/v1`, command: 'aws', interactiveMode: 'Never' };

// what stands in the user entry | headers it leads to
const users: [string, Record<string, unknown>, Record<string, unknown>][] = [
  ['a token', { token: 'abc' }, { authorization: 'Bearer abc' }],
  ['a password', { username: 'u', password: 'p' }, { authorization: 'Basic dTpw' }],
  [
    'a token and a user to impersonate',
    { token: 't', as: 'jane', 'as-groups': ['a'], 'as-uid': '1' },
    {
      authorization: 'Bearer t',
      'impersonate-user': 'jane',
      'impersonate-group': ['a'],
      'impersonate-uid': '1',
    },
  ],
  ['nothing', {}, {}],
];

test.each(users)('contextAccess() with %s', async (_, user, headers) => {
  const context = { name: 'x', cluster: { server: 'https://x' }, user, namespace: 'default' };
  const access = await contextAccess(context, new ManualClock());
  expect((await access.credentials())?.headers).toEqual(headers);
});

// user entry | what is wrong | how to fix it
const unusable: [Record<string, unknown>, RegExp, RegExp][] = [
  [{ 'auth-provider': { name: 'gcp' } }, /auth-provider "gcp", which is not supported/, /gke-gcloud-auth-plugin/],
  [{ 'auth-provider': { name: 'azure' } }, /auth-provider "azure", which is not supported/, /kubelogin/],
  [{ 'auth-provider': { name: 'oidc', config: {} } }, /has no id-token/, /replace auth-provider by exec/],
  [{ 'auth-provider': {}, exec: plugin }, /both exec and auth-provider/, /remove auth-provider/],
  [{ exec: { ...plugin, apiVersion: `${group}/v1alpha1` } }, /exec.apiVersion is/, /set exec.apiVersion to/],
  [{ exec: { ...plugin, command: '' } }, /exec.command is missing/, /set exec.command/],
  [{ exec: { ...plugin, interactiveMode: undefined } }, /interactiveMode is missing/, /Never, IfAvailable, Always/],
  [{ exec: { ...plugin, interactiveMode: 'Maybe' } }, /interactiveMode is "Maybe"/, /Never, IfAvailable, Always/],
  [{ exec: { ...plugin, args: ['a', 1] } }, /exec.args must be a list of strings/, /in quotes/],
  [{ exec: { ...plugin, env: [{ value: 'x' }] } }, /exec.env must be a list of name and value/, /name: NAME/],
];

test.each(unusable)('contextAccess() refuses the user %j and says how to fix it', async (user, message, hint) => {
  const context = { name: 'x', cluster: { server: 'https://x' }, user, namespace: 'default' };
  const error = await contextAccess(context, new ManualClock()).catch((it) => it);
  expect(error).toBeInstanceOf(KubeconfigError);
  expect(error.message).toMatch(message);
  expect(error.hint).toMatch(hint);
});

test('contextAccess() prefers the token of the user to its credential plugin', async () => {
  const user = { token: 't', exec: { ...plugin, command: '/missing' } };
  const access = await contextAccess(
    { name: 'x', cluster: { server: 'https://x' }, user, namespace: 'default' },
    new ManualClock(),
  );
  expect((await access.credentials()).headers).toEqual({ authorization: 'Bearer t' });
});

test('contextAccess() uses the id-token of an OIDC provider until it expires', async () => {
  const clock = new ManualClock();
  const exp = clock.now() / 1000 + 60;
  const token = `e30.${Buffer.from(JSON.stringify({ exp })).toString('base64url')}.x`;
  const user = { 'auth-provider': { name: 'oidc', config: { 'id-token': token } } };
  const access = await contextAccess(
    { name: 'x', cluster: { server: 'https://x' }, user, namespace: 'default' },
    clock,
  );
  expect((await access.credentials()).headers).toEqual({ authorization: `Bearer ${token}` });
  await clock.advance(60_000);
  await expect(access.credentials()).rejects.toMatchObject({
    name: 'SignInError',
    message: expect.stringMatching(/^cannot sign in to context "x": its id-token expired at \d{4}-/),
  });
});

test('contextAccess() refuses a proxy that it cannot use', async () => {
  const cluster = { server: 'https://x', 'proxy-url': 'ftp://p' };
  const given = contextAccess({ name: 'x', cluster, user: {}, namespace: 'default' }, new ManualClock());
  await expect(given).rejects.toThrow('unusable proxy-url: "ftp://p"');
});

test('mergeKubeconfigs(): of one name the first file wins', async () => {
  const second = await parseKubeconfig(
    'current-context: other\nclusters: [{name: one, cluster: {server: "https://no"}}, {name: three, cluster: {server: "https://three"}}]',
    '/etc/kube',
  );
  const merged = mergeKubeconfigs([await parseKubeconfig('', '/none'), config, second]);
  expect(merged.currentContext).toBe('dev');
  expect(merged.clusters.get('one')?.server).toBe('https://one:6443/');
  expect([...merged.clusters.keys()].sort()).toEqual(['one', 'three', 'two']);
});

// kubeconfig | context | message
const broken: [string, string | undefined, RegExp][] = [
  ['a: [', undefined, /^\/k: line 1, column 5: /],
  ['- a', undefined, /a kubeconfig is a mapping/],
  ['clusters: x', undefined, /clusters is not a list/],
  ['clusters: [{cluster: {}}]', undefined, /an entry of clusters has no name/],
  ['{}', undefined, /has no current context/],
  ['{}', 'x', /has no context "x"/],
  ['contexts: [{name: x, context: {cluster: c}}]', 'x', /names the cluster "c", which is missing/],
  [
    'contexts: [{name: x, context: {cluster: c, user: u}}]\nclusters: [{name: c, cluster: {}}]',
    'x',
    /names the user "u"/,
  ],
  [`${'['.repeat(10_000)}`, undefined, /^\/k: line 1, column 201: nested more than 200 levels deep/],
];

test.each(broken)('a kubeconfig %j is refused', async (text, context, message) => {
  const error = await parseKubeconfig(text, '/k')
    .then((read) => chooseContext(read, context))
    .catch((it) => it);
  expect(error).toBeInstanceOf(KubeconfigError);
  expect(error.message).toMatch(message);
});
