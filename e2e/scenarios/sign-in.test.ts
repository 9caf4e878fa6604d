import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseYaml } from '@slipway/safe-yaml';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findKubectl } from '../../tools/real-parts.js';
import { type Outcome, type RunningCluster, run, slipway, up } from '../support/slipway.js';

/** Ways to sign in, each tried by `slipway` and, where there is one, by `kubectl`: they must agree. */
let cluster: RunningCluster;
const folder = mkdtempSync(join(tmpdir(), 'slipway-sign-in-'));

beforeAll(async () => {
  cluster = await up({ nodes: 1, args: ['--ephemeral'] });
});
afterAll(async () => {
  await cluster[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

type Entry = Readonly<Record<string, unknown>>;

/** The cluster and the user of the kubeconfig that `slipway up` wrote. */
function written(): { readonly cluster: Entry; readonly user: Record<string, string> } {
  const config = parseYaml(readFileSync(cluster.kubeconfig, 'utf8')) as {
    clusters: { cluster: Entry }[];
    users: { user: Record<string, string> }[];
  };
  return { cluster: config.clusters[0]?.cluster ?? {}, user: config.users[0]?.user ?? {} };
}

const decoded = (text: string | undefined) => Buffer.from(text ?? '', 'base64').toString();

/** Writes a program that records what it was told and prints a credential. */
function writePlugin(name: string, credential: unknown): { readonly command: string; calls(): Entry[] } {
  const record = join(folder, `${name}.calls`);
  const command = join(folder, name);
  writeFileSync(record, '');
  const text = JSON.stringify(JSON.stringify(credential));
  writeFileSync(
    command,
    `#!${process.execPath}
const info = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
const call = { args: process.argv.slice(2), mine: process.env.MINE, info };
process.getBuiltinModule('node:fs').appendFileSync(${JSON.stringify(record)}, JSON.stringify(call) + '\\n');
console.log(${text});`,
    { mode: 0o755 },
  );
  return {
    command,
    calls: () =>
      readFileSync(record, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line): Entry => JSON.parse(line)),
  };
}

function certificate(apiVersion = 'client.authentication.k8s.io/v1'): unknown {
  const { user } = written();
  const status = {
    clientCertificateData: decoded(user['client-certificate-data']),
    clientKeyData: decoded(user['client-key-data']),
    expirationTimestamp: '2999-01-01T00:00:00Z',
  };
  return { apiVersion, kind: 'ExecCredential', status };
}

let files = 0;
/** Asks the cluster with both programs. */
async function both(user: Entry, more: Entry = {}): Promise<{ slipway: Outcome; kubectl: Outcome | undefined }> {
  files += 1;
  const path = join(folder, `config-${files}`);
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { ...written().cluster, ...more } }],
    users: [{ name: 'u', user }],
  };
  writeFileSync(path, JSON.stringify(config));
  const env = { KUBECONFIG: path };
  const kubectl = findKubectl();
  return {
    slipway: await slipway(['node', 'list'], { env }),
    kubectl: kubectl ? await run(kubectl, ['get', 'nodes'], { env }) : undefined,
  };
}

const exec = (more: Entry) => ({
  exec: { apiVersion: 'client.authentication.k8s.io/v1', interactiveMode: 'IfAvailable', ...more },
});

test('a credential plugin that returns a certificate signs in, and is told the same as by kubectl', async () => {
  const plugin = writePlugin('good', certificate());
  const user = exec({
    command: './good',
    args: ['get-token', '--for', 'a b'],
    env: [{ name: 'MINE', value: 'v' }],
    provideClusterInfo: true,
  });
  const extensions = [{ name: 'client.authentication.k8s.io/exec', extension: { audience: 'me' } }];
  const outcome = await both(user, { extensions });
  expect(outcome.slipway).toMatchObject({ code: 0 });
  const [ours, kubectls] = plugin.calls();
  expect(ours).toMatchObject({ args: ['get-token', '--for', 'a b'], mine: 'v' });
  if (!outcome.kubectl) return;
  expect(outcome.kubectl).toMatchObject({ code: 0 });
  // Go writes fields that have no value as null; they mean the same.
  expect(ours).toEqual(kubectls);
  expect(plugin.calls()).toHaveLength(2);
});

const other = 'client.authentication.k8s.io/v1beta1';
// how the plugin fails | user entry | exit code | stderr
const failing: [string, () => Entry, number, RegExp][] = [
  [
    'is missing',
    () => exec({ command: 'no-such-plugin', installHint: 'Fetch it.' }),
    4,
    /no-such-plugin was not found\nTo fix: Fetch it\.\n$/,
  ],
  ['fails', () => exec({ command: 'false' }), 4, /false failed with code 1\nTo fix: run false by itself/],
  [
    'answers in another version',
    () => exec({ command: writePlugin('old', certificate(other)).command }),
    4,
    /returned apiVersion "client.authentication.k8s.io\/v1beta1"/,
  ],
  [
    'has no interactive mode',
    () => exec({ command: 'true', interactiveMode: undefined }),
    2,
    /interactiveMode is missing/,
  ],
  [
    'is of a version that is gone',
    () => exec({ command: 'true', apiVersion: 'client.authentication.k8s.io/v1alpha1' }),
    2,
    /To fix: set exec.apiVersion/,
  ],
  ['needs a terminal', () => exec({ command: 'true', interactiveMode: 'Always' }), 4, /needs a terminal/],
  ['is a provider of old', () => ({ 'auth-provider': { name: 'gcp' } }), 2, /with gke-gcloud-auth-plugin/],
];

test.each(failing)('where the credential plugin %s both programs fail', async (_, user, code, message) => {
  const outcome = await both(user());
  expect(outcome.slipway).toMatchObject({ code, stdout: '' });
  expect(outcome.slipway.stderr).toMatch(message);
  if (outcome.kubectl) expect(outcome.kubectl.code).not.toBe(0);
});

test.each([
  ['http', httpProxy],
  ['socks5', socksProxy],
])('a kubeconfig that names a proxy (%s) is reached through it', async (scheme, listen) => {
  const targets: string[] = [];
  const proxy = listen((target) => targets.push(target));
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as AddressInfo;
  const outcome = await both(written().user, { 'proxy-url': `${scheme}://127.0.0.1:${port}` });
  proxy.close();
  expect(outcome.slipway).toMatchObject({ code: 0 });
  const from = targets.length;
  expect(from).toBeGreaterThan(0);
  expect(new Set(targets)).toEqual(new Set([new URL(cluster.url).host]));
  if (outcome.kubectl) expect(outcome.kubectl).toMatchObject({ code: 0 });
});

function httpProxy(seen: (target: string) => void): net.Server {
  const server = http.createServer();
  server.on('connect', ({ url = '' }, client: Socket) => {
    seen(url);
    connectPipes(client, net.connect(Number(url.split(':')[1]), url.split(':')[0]), 'HTTP/1.1 200 OK\r\n\r\n');
  });
  return server;
}

/** SOCKS 5 without authentication, for IPv4 addresses and names (RFC 1928). */
function socksProxy(seen: (target: string) => void): net.Server {
  return net.createServer((client) => {
    client.once('data', () => {
      client.write(Buffer.from([5, 0]));
      client.once('data', (request) => {
        const isName = request[3] === 3;
        const end = isName ? 5 + (request[4] ?? 0) : 8;
        const host = isName ? request.subarray(5, end).toString() : request.subarray(4, 8).join('.');
        const port = request.readUInt16BE(end);
        seen(`${host}:${port}`);
        connectPipes(client, net.connect(port, host), Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
      });
    });
  });
}

function connectPipes(client: Socket, server: Socket, greeting: string | Buffer): void {
  server.once('connect', () => {
    client.write(greeting);
    client.pipe(server).pipe(client);
  });
  for (const socket of [client, server]) socket.on('error', () => socket.destroy());
}
