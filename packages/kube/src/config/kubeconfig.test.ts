import { expect, test } from 'vitest';
import { ManualClock } from '../testing/manual-clock.js';
import { chooseContext, mergeKubeconfigs, parseKubeconfig } from './kubeconfig.js';
import { KubeconfigError } from './kubeconfig-error.js';
import { plainAccess } from './plain-access.js';

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

test('plainAccess() reads certificates that stand in the file', async () => {
  const access = await plainAccess(chooseContext(config, 'dev'), new ManualClock());
  expect(access?.server).toBe('https://one:6443');
  expect(await access?.credentials()).toEqual({
    ca: Buffer.from('CA'),
    cert: Buffer.from('CERT'),
    key: Buffer.from('KEY'),
    servername: 'api.one',
    headers: {},
  });
});

// what stands in the user entry | headers it leads to
const users: [string, Record<string, unknown>, Record<string, unknown>][] = [
  ['a token', { token: 'abc' }, { authorization: 'Bearer abc' }],
  ['a password', { username: 'u', password: 'p' }, { authorization: 'Basic dTpw' }],
  [
    'a token and somebody to act for',
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

test.each(users)('plainAccess() with %s', async (_, user, headers) => {
  const context = { name: 'x', cluster: { server: 'https://x' }, user, namespace: 'default' };
  const access = await plainAccess(context, new ManualClock());
  expect((await access?.credentials())?.headers).toEqual(headers);
});

test('plainAccess() leaves plugins, providers and proxies to the official client', async () => {
  const base = { name: 'x', cluster: { server: 'https://x' }, user: {}, namespace: 'default' };
  const clock = new ManualClock();
  expect(await plainAccess({ ...base, user: { exec: { command: 'aws' } } }, clock)).toBeUndefined();
  expect(await plainAccess({ ...base, user: { 'auth-provider': { name: 'oidc' } } }, clock)).toBeUndefined();
  expect(
    await plainAccess({ ...base, cluster: { server: 'https://x', 'proxy-url': 'http://p' } }, clock),
  ).toBeUndefined();
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
