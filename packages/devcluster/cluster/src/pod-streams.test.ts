import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type KubeObject, silentLog } from '@slipway/kube';
import { configMaps } from '@slipway/kube-objects/kinds/api/core';
import { pods } from '@slipway/kube-objects/kinds/api/pods';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { needs } from '../../../../tools/real-parts.js';
import type { Cluster } from './cluster.js';
import { startCluster } from './start-cluster.js';

// kubectl talks to processes over WebSockets from 1.31 on, and over SPDY before or when told to.
const spdy = { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false', KUBECTL_PORT_FORWARD_WEBSOCKETS: 'false' };

const home = mkdtempSync(join(tmpdir(), 'slipway-streams-'));
const kubeconfig = join(home, 'config');
const namespace = 'default';
let cluster: Cluster;

beforeAll(async () => {
  cluster = await startCluster({ nodes: 1, writeKubeconfig: { path: kubeconfig }, log: silentLog });
  await cluster.ready();
  const kube = cluster.kube();
  await kube.resource(configMaps).create({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'settings', namespace },
    data: { 'app.conf': 'colour = blue\n', LEVEL: 'debug' },
  });
  await kube.resource(pods).create({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'web',
      namespace,
      annotations: { 'sim.slipway.dev/main.exec': 'nginx -t =>3 it is broken\nversion => 7.1' },
    },
    spec: {
      containers: [
        {
          name: 'main',
          image: 'web:1',
          ports: [{ containerPort: 8080 }],
          env: [
            { name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
            { name: 'GREETING', value: 'hello $(POD)' },
          ],
          envFrom: [{ configMapRef: { name: 'settings' } }],
          volumeMounts: [{ name: 'settings', mountPath: '/etc/app' }],
        },
      ],
      volumes: [{ name: 'settings', configMap: { name: 'settings' } }],
    },
  } as KubeObject as never);
  await vi.waitFor(async () => {
    const { status } = await kube.resource(pods).get({ namespace, name: 'web' });
    expect(status?.phase).toBe('Running');
  }, 10_000);
}, 30_000);
afterAll(async () => {
  await cluster?.stop();
  rmSync(home, { recursive: true, force: true });
});

function run(
  protocolEnv: NodeJS.ProcessEnv,
  args: readonly string[],
  input = '',
): Promise<[exit: number, out: string, err: string]> {
  return new Promise((resolve) => {
    const env = { ...process.env, ...protocolEnv, HOME: home, KUBECONFIG: kubeconfig };
    const child = execFile('kubectl', [...args], { env, timeout: 15_000 }, (error, stdout, stderr) =>
      resolve([error ? Number(error.code ?? -1) : 0, stdout, stderr]),
    );
    child.stdin?.end(input);
  });
}

// command | what is typed | exit code | output | errors
const commands: [string[], string, number, string | RegExp, string | RegExp][] = [
  [['hostname'], '', 0, 'web\n', ''],
  [['printenv', 'GREETING'], '', 0, 'hello web\n', ''],
  [['cat', '/etc/app/app.conf'], '', 0, 'colour = blue\n', ''],
  [['ls', '/etc/app'], '', 0, 'LEVEL\napp.conf\n', ''],
  [['cat', '/nowhere'], '', 1, '', /cat: \/nowhere: No such file or directory/],
  [['cat', '/var/run/secrets/kubernetes.io/serviceaccount/namespace'], '', 0, 'default', ''],
  [['cat', '/var/run/secrets/kubernetes.io/serviceaccount/token'], '', 0, /^ey[\w-]+\.[\w-]+\.[\w-]+$/, ''],
  [['sh', '-c', 'echo "$LEVEL" && false || exit 42; echo never'], '', 42, 'debug\n', /exit code 42/],
  [['sh'], 'cd /etc/app\npwd; cat LEVEL\n', 0, '/etc/app\ndebug', ''],
  [['cat'], 'what is typed', 0, 'what is typed', ''],
  [['nginx', '-t'], '', 3, '', /it is broken/],
  [['version'], '', 0, '7.1\n', ''],
  [
    ['nothing-like-it'],
    '',
    1,
    '',
    /unable to start container process: exec: "nothing-like-it": executable file not found in \$PATH: unknown/,
  ],
  [['/bin/nothing'], '', 1, '', /exec: "\/bin\/nothing": stat \/bin\/nothing: no such file or directory: unknown/],
  [
    ['sh', '-c', 'mkdir -p /tmp/a/b && echo x > /tmp/a/b/f; cat /tmp/a/b/f; ls /tmp/a; rm -r /tmp/a'],
    '',
    0,
    'x\nb\n',
    '',
  ],
];

describe.each<[string, NodeJS.ProcessEnv]>([
  ['WebSocket', {}],
  ['SPDY', spdy],
])('kubectl over %s', (_protocol, protocolEnv) => {
  beforeEach((context) => needs(context, 'kubectl'));

  test.each(commands)('exec %j', async (command, input, exit, out, err) => {
    const [code, stdout, stderr] = await run(protocolEnv, ['exec', '-i', 'web', '--', ...command], input);
    expect([code, stdout, stderr]).toEqual([
      exit,
      typeof out === 'string' ? out : expect.stringMatching(out),
      typeof err === 'string' ? err : expect.stringMatching(err),
    ]);
  });

  test('a container that there is not, or that does not run, is told of', async () => {
    const [code, , stderr] = await run(protocolEnv, ['exec', 'web', '-c', 'other', '--', 'true']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('container other is not valid for pod web')]);
  });

  // what the container runs | what is typed | with what kubectl ends
  test.each([
    [['sh'], 'echo hi > /tmp/f\ncat /tmp/f\nexit 3\necho never\n', 3],
    [['sh'], 'echo hi', 0],
    [['sh', '-c', 'echo hi; exit 6'], '', 6],
    [['cat'], 'hi\n', 0],
  ])('run -i --rm ends with its container: %j and %j', async (command, input, exit) => {
    const what = ['run', 'once', '-i', '--rm', '--restart=Never', '--image=busybox', '--', ...command];
    const [code, out] = await run(protocolEnv, what, input);
    expect([code, out]).toEqual([exit, 'hi\npod "once" deleted\n']);
  });

  test('a command ends with 137 when its pod is deleted', async () => {
    await run(protocolEnv, ['run', 'short', '--image=busybox', '--restart=Never', '--', 'sleep', '1h']);
    await run(protocolEnv, ['wait', '--for=condition=Ready', 'pod/short']);
    const env = { ...process.env, ...protocolEnv, HOME: home, KUBECONFIG: kubeconfig };
    const child = spawn('kubectl', ['exec', 'short', '--', 'sh', '-c', 'echo begun; sleep 1h'], { env });
    const ended = once(child, 'exit');
    expect(String((await once(child.stdout, 'data'))[0])).toBe('begun\n');
    await run(protocolEnv, ['delete', 'pod', 'short', '--now']);
    expect((await ended)[0]).toBe(137);
  });

  test('cp brings files and folders there and back, whatever they are called', async () => {
    const from = join(home, 'from');
    const to = join(home, 'to');
    mkdirSync(join(from, 'sub'), { recursive: true });
    const long = `ü${'x'.repeat(120)}`;
    const big = Buffer.alloc(300_000, 'big');
    writeFileSync(join(from, long), 'text');
    writeFileSync(join(from, 'sub', 'big'), big);
    expect(await run(protocolEnv, ['cp', from, 'web:/tmp/copied'])).toEqual([0, '', '']);
    expect((await run(protocolEnv, ['exec', 'web', '--', 'ls', '/tmp/copied', '/tmp/copied/sub']))[1]).toBe(
      `/tmp/copied:\nsub\n${long}\n/tmp/copied/sub:\nbig\n`,
    );
    expect((await run(protocolEnv, ['cp', 'web:/tmp/copied', to]))[0]).toBe(0);
    expect(readFileSync(join(to, long), 'utf8')).toBe('text');
    expect(readFileSync(join(to, 'sub', 'big')).equals(big)).toBe(true);
    await run(protocolEnv, ['exec', 'web', '--', 'rm', '-r', '/tmp/copied']);
    rmSync(to, { recursive: true });
  });

  test('cp tells when the disk of the pod is full, or its folder is not there', async () => {
    const large = join(home, 'large');
    writeFileSync(large, Buffer.alloc(17 * 1024 * 1024));
    const [code, , err] = await run(protocolEnv, ['cp', large, 'web:/tmp/large']);
    expect([code, err]).toEqual([expect.any(Number), expect.stringContaining('No space left on device')]);
    expect(code).not.toBe(0);
    const [, , missing] = await run(protocolEnv, ['cp', large, 'web:/none/large']);
    expect(missing).toContain('tar: /none: Cannot open: No such file or directory');
  });

  test('port-forward brings connections to the ports that containers name, and to no others', async () => {
    const env = { ...process.env, ...protocolEnv, HOME: home, KUBECONFIG: kubeconfig };
    const child = spawn('kubectl', ['port-forward', 'pod/web', ':8080', ':81'], { env });
    try {
      let told = '';
      child.stdout.on('data', (chunk) => {
        told += chunk;
      });
      let complained = '';
      child.stderr.on('data', (chunk) => {
        complained += chunk;
      });
      const portTo = (port: number) => new RegExp(`127\\.0\\.0\\.1:(\\d+) -> ${port}`).exec(told)?.[1];
      await vi.waitFor(() => expect(portTo(8080) && portTo(81), told + complained).toBeTruthy(), 10_000);
      const asked = await Promise.all([1, 2, 3].map((each) => body(`http://127.0.0.1:${portTo(8080)}/${each}`)));
      expect(asked).toEqual([1, 2, 3].map((each) => `pod default/web answers on port 8080: GET /${each}\n`));
      await expect(body(`http://127.0.0.1:${portTo(81)}/`)).rejects.toThrow();
      await vi.waitFor(() => expect(complained).toContain('connection refused'), 5_000);
    } finally {
      child.kill();
    }
  });
});

test('the token in a pod is one that the API server believes', async (context) => {
  needs(context, 'kubectl');
  const path = '/var/run/secrets/kubernetes.io/serviceaccount/token';
  const [, token] = await run({}, ['exec', 'web', '--', 'cat', path]);
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } };
  const { body: answer } = await cluster.kube().transport.request({
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/tokenreviews',
    body: review,
  });
  expect(answer).toMatchObject({
    status: {
      authenticated: true,
      user: {
        username: 'system:serviceaccount:default:default',
        extra: { 'authentication.kubernetes.io/pod-name': ['web'], 'authentication.kubernetes.io/node-name': ['n1'] },
      },
    },
  });
});

function body(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve(text));
    }).on('error', reject);
  });
}
