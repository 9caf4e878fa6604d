import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubeObject } from '@slipway/kube';
import { silentLog } from '@slipway/kube';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { hasKubectl } from '../api-server/testing/kubectl-server.js';
import { pods } from '../controllers/api/pods.js';
import type { Cluster } from './cluster.js';
import { startCluster } from './start-cluster.js';

// kubectl talks to processes over WebSockets from 1.31 on, and over SPDY before.
const others = ['1.30', '1.33'].map((version) => `/usr/lib/google-cloud-sdk/bin/kubectl.${version}`);
const programs = ['kubectl', ...others].filter((path) => path === 'kubectl' || existsSync(path));

const configMaps = { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true } as const;
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

function run(kubectl: string, args: readonly string[], input = ''): Promise<[exit: number, out: string, err: string]> {
  return new Promise((resolve) => {
    const env = { ...process.env, HOME: home, KUBECONFIG: kubeconfig };
    const child = execFile(kubectl, [...args], { env, timeout: 15_000 }, (error, stdout, stderr) =>
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
  [['nothing-like-it'], '', 1, '', /exec: "nothing-like-it": executable file not found in \$PATH/],
];

describe.skipIf(!hasKubectl).each(programs)('%s', (kubectl) => {
  test.each(commands)('exec %j', async (command, input, exit, out, err) => {
    const [code, stdout, stderr] = await run(kubectl, ['exec', '-i', 'web', '--', ...command], input);
    expect([code, stdout, stderr]).toEqual([
      exit,
      typeof out === 'string' ? out : expect.stringMatching(out),
      typeof err === 'string' ? err : expect.stringMatching(err),
    ]);
  });

  test('a container that there is not, or that does not run, is told of', async () => {
    const [code, , stderr] = await run(kubectl, ['exec', 'web', '-c', 'other', '--', 'true']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('container other is not valid for pod web')]);
  });

  test('port-forward brings connections to the ports that containers name, and to no others', async () => {
    const env = { ...process.env, HOME: home, KUBECONFIG: kubeconfig };
    const child = spawn(kubectl, ['port-forward', 'pod/web', ':8080', ':81'], { env });
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

test.skipIf(!hasKubectl)('the token in a pod is one that the API server believes', async () => {
  const path = '/var/run/secrets/kubernetes.io/serviceaccount/token';
  const [, token] = await run('kubectl', ['exec', 'web', '--', 'cat', path]);
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
