import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ManualClock } from '../testing/manual-clock.js';
import { contextAccess } from './context-access.js';
import type { PluginHost } from './exec-plugin.js';
import { parseKubeconfig } from './kubeconfig.js';
import { SignInError } from './sign-in-error.js';

const group = 'client.authentication.k8s.io';
const v1 = `${group}/v1`;
const folder = mkdtempSync(join(tmpdir(), 'kube-exec-'));
afterAll(() => rmSync(folder, { recursive: true }));

const host: PluginHost = { environment: { PATH: process.env.PATH, FROM_HOST: 'yes' }, isTerminal: false };

/** Prints what it is told to, and records how it was called. */
const program = join(folder, 'plugin.mjs');
const record = join(folder, 'record');
writeFileSync(
  program,
  `import { appendFileSync, fstatSync } from 'node:fs';
const { KUBERNETES_EXEC_INFO: info, FROM_HOST, ANSWER, CODE = '0' } = process.env;
const call = { args: process.argv.slice(2), info: JSON.parse(info), FROM_HOST, hasInput: fstatSync(0).isFIFO() };
appendFileSync(${JSON.stringify(record)}, JSON.stringify(call) + '\\n');
process.stdout.write(ANSWER);
process.exitCode = Number(CODE);`,
);

function credential(status: unknown, apiVersion = v1): string {
  return JSON.stringify({ apiVersion, kind: 'ExecCredential', status });
}

interface Given {
  readonly answer?: string;
  readonly exec?: Record<string, unknown>;
  readonly cluster?: Record<string, unknown>;
  readonly host?: PluginHost;
  readonly clock?: ManualClock;
}

async function accessWith({ answer = '', exec, cluster, host: given = host, clock = new ManualClock() }: Given) {
  rmSync(record, { force: true });
  const user = {
    exec: {
      apiVersion: v1,
      command: process.execPath,
      args: [program],
      env: [{ name: 'ANSWER', value: answer }],
      interactiveMode: 'IfAvailable',
      ...exec,
    },
  };
  const entry = { server: 'https://x', ...cluster };
  return await contextAccess({ name: 'ctx', cluster: entry, user, namespace: 'default' }, clock, given);
}

const calls = () =>
  readFileSync(record, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

test('a credential plugin gets its arguments, its environment and what kubectl would tell it', async () => {
  const access = await accessWith({ answer: credential({ token: 't' }), exec: { args: [program, 'get token', '-x'] } });
  expect((await access.credentials()).headers).toEqual({ authorization: 'Bearer t' });
  expect(calls()).toEqual([
    {
      args: ['get token', '-x'],
      info: { kind: 'ExecCredential', apiVersion: v1, spec: { interactive: false } },
      FROM_HOST: 'yes',
      hasInput: false,
    },
  ]);
});

test('a credential plugin that asks for the cluster is told of it, and of its settings', async () => {
  const access = await accessWith({
    answer: credential({ token: 't' }, `${group}/v1beta1`),
    exec: { apiVersion: `${group}/v1beta1`, interactiveMode: undefined, provideClusterInfo: true },
    cluster: {
      'certificate-authority-data': Buffer.from('CA').toString('base64'),
      'tls-server-name': 'api',
      'proxy-url': 'http://p:1',
      extensions: [{ name: 'other' }, { name: `${group}/exec`, extension: { audience: 'me' } }],
    },
  });
  await access.credentials();
  expect(calls()[0].info.spec).toEqual({
    cluster: {
      server: 'https://x',
      'tls-server-name': 'api',
      'certificate-authority-data': 'Q0E=',
      'proxy-url': 'http://p:1',
      config: { audience: 'me' },
    },
    interactive: false,
  });
});

test('a credential plugin runs once for callers at the same time, and again when its credentials expire', async () => {
  const clock = new ManualClock();
  const expirationTimestamp = new Date(clock.now() + 60_000).toISOString();
  const access = await accessWith({ answer: credential({ token: 't', expirationTimestamp }), clock });
  await Promise.all([access.credentials(), access.credentials()]);
  await clock.advance(59_999);
  await access.credentials();
  expect(calls()).toHaveLength(1);
  await clock.advance(1);
  await access.credentials();
  expect(calls()).toHaveLength(2);
});

test('a credential plugin runs again after the server rejected what it returned', async () => {
  const access = await accessWith({ answer: credential({ token: 't' }) });
  await access.credentials();
  access.rejected?.();
  await access.credentials();
  expect(calls()).toHaveLength(2);
});

// what the plugin prints, or how it is configured | message | hint
const failures: [string, Given, RegExp, RegExp][] = [
  ['is missing', { exec: { command: 'no-such-plugin' } }, /no-such-plugin was not found$/, /^install no-such-plugin/],
  [
    'is missing and has an install hint',
    { exec: { command: 'no-such-plugin', installHint: 'Get it from\n  the shop.\n' } },
    /was not found$/,
    /^Get it from the shop\.$/,
  ],
  ['is a folder', { exec: { command: folder } }, /cannot be run: /, /^install /],
  [
    'fails',
    {
      answer: 'x',
      exec: {
        env: [
          { name: 'ANSWER', value: '' },
          { name: 'CODE', value: '7' },
        ],
      },
    },
    /failed with code 7$/,
    /by itself to see why/,
  ],
  ['prints nothing', {}, /did not print an ExecCredential$/, /^correct or update/],
  ['prints rubbish', { answer: '{"secret' }, /did not print an ExecCredential$/, /^correct or update/],
  [
    'answers in another version',
    { answer: credential({ token: 't' }, `${group}/v1beta1`) },
    /returned apiVersion "client.authentication.k8s.io\/v1beta1", expected /,
    /^correct/,
  ],
  ['answers no status', { answer: credential(undefined) }, /returned no status$/, /^correct/],
  ['answers nothing useful', { answer: credential({}) }, /neither a token nor a client certificate$/, /^correct/],
  ['answers half a pair', { answer: credential({ clientKeyData: 'k' }) }, /only one of client certificate/, /^correct/],
  [
    'answers an unusable pair',
    { answer: credential({ clientKeyData: 'k', clientCertificateData: 'c' }) },
    /cannot be used together$/,
    /^correct/,
  ],
  [
    'answers an unreadable time',
    { answer: credential({ token: 't', expirationTimestamp: 'soon' }) },
    /expirationTimestamp that is not RFC 3339$/,
    /^correct/,
  ],
  [
    'needs a terminal',
    { answer: credential({ token: 't' }), exec: { interactiveMode: 'Always' } },
    /needs a terminal, and standard input is none$/,
    /^run the command in a terminal/,
  ],
];

test.each(failures)('a credential plugin that %s gives one line and how to fix it', async (_, given, message, hint) => {
  const access = await accessWith(given);
  const error = await access.credentials().catch((it) => it);
  expect(error).toBeInstanceOf(SignInError);
  expect(error.message).toMatch(/^cannot sign in to context "ctx": the credential plugin /);
  expect(error.message).toMatch(message);
  expect(error.hint).toMatch(hint);
  expect(`${error.message}${error.hint}`).not.toMatch(/\n|secret/);
});

test('parseKubeconfig() finds a plugin named by a relative path beside the kubeconfig', async () => {
  const config = await parseKubeconfig('users: [{name: u, user: {exec: {command: ./bin/p}}}]', '/home/me/.kube/config');
  expect(config.users.get('u')).toEqual({ exec: { command: '/home/me/.kube/bin/p' } });
});
