import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isConditionTrue, Kube, leases, microTimestamp } from '@slipway/kube';
import { ManualClock } from '@slipway/kube/testing';
import { configMaps, namespaces } from '@slipway/kube-objects/kinds/api/core';
import { nodes } from '@slipway/kube-objects/kinds/api/nodes';
import { pods } from '@slipway/kube-objects/kinds/api/pods';
import { deployments } from '@slipway/kube-objects/kinds/api/workloads';
import { aFolder } from '@slipway/kube-objects/testing/a-folder';
import { parseYaml } from '@slipway/safe-yaml';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { needs } from '../../../../tools/real-parts.js';
import type { ClusterOptions } from './cluster.js';
import { lockHolder } from './cluster-lock.js';
import { askControl } from './control-socket.js';
import { dataDirAt } from './data-paths.js';
import { aConfigMap, aDeployment } from './testing/some-objects.js';
import { aStartedCluster } from './testing/started-cluster.js';

// Clusters start and stop in here, beside all other tests of the machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

afterEach(() => {
  vi.unstubAllEnvs();
});

async function podsRun(kube: Kube, count: number): Promise<void> {
  await vi.waitFor(async () => {
    const { items } = await kube.resource(pods).list({ namespace: 'default' });
    expect(items.map((pod) => pod.status?.phase)).toEqual(Array(count).fill('Running'));
  }, 5_000);
}

async function configMapNames(kube: Kube): Promise<string[]> {
  const { items } = await kube.resource(configMaps).list({ namespace: 'default' });
  return items.map((item) => item.metadata.name ?? '').filter((name) => name !== 'kube-root-ca.crt');
}

describe('startCluster()', () => {
  test('gives a cluster with Ready nodes that runs pods, over HTTPS and in process', async () => {
    const folder = aFolder();
    const path = join(folder, 'kubeconfig');
    const cluster = await aStartedCluster({ nodes: 2, writeKubeconfig: { path } });
    await cluster.ready();
    const inProcess = new Kube(cluster.transport());
    const overHttps = await Kube.connect({ kubeconfig: path });
    for (const kube of [inProcess, overHttps]) {
      const { items } = await kube.resource(nodes).list();
      expect(
        items.map(({ metadata, status }) => [metadata.name, isConditionTrue(status?.conditions, 'Ready')]),
      ).toEqual([
        ['n1', true],
        ['n2', true],
      ]);
    }
    await overHttps.resource(deployments).create(aDeployment('web', 3));
    await podsRun(inProcess, 3);
    const listed = await overHttps.resource(namespaces).list();
    expect(listed.items.map(({ metadata }) => metadata.name)).toEqual([
      'default',
      'kube-node-lease',
      'kube-public',
      'kube-system',
    ]);
    const ofServers = { namespace: 'kube-system', labelSelector: 'apiserver.kubernetes.io/identity=kube-apiserver' };
    expect((await inProcess.resource(leases).list(ofServers)).items).toHaveLength(1);
    // Nothing but the kubeconfig was written, and it stays when the cluster stops.
    await cluster.stop();
    await cluster.stopped;
    expect(readdirSync(folder)).toEqual(['kubeconfig']);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await expect(overHttps.resource(nodes).list()).rejects.toThrow();
  });

  test('runs several clusters in one process that know nothing of each other', async () => {
    const [one, two] = await Promise.all([aStartedCluster({ name: 'one' }), aStartedCluster({ name: 'two' })]);
    await new Kube(one.transport()).resource(configMaps).create(aConfigMap('only-here'));
    expect(await configMapNames(new Kube(two.transport()))).toEqual([]);
    await one.stop();
    await two.ready();
  });

  test('runs on the time it is handed', async () => {
    const clock = new ManualClock();
    const cluster = await aStartedCluster({ clock });
    await cluster.ready();
    const kube = new Kube(cluster.transport(), { clock });
    const renewedAt = async () =>
      (await kube.resource(leases).get({ namespace: 'kube-node-lease', name: 'n1' })).spec.renewTime;
    const before = await renewedAt();
    expect(before).toBe(microTimestamp(clock.now()));
    await clock.advance(10_000);
    await vi.waitFor(async () => expect(await renewedAt()).toBe(microTimestamp(clock.now())));
  });

  test('has after a stop and a start what it had, under the same authority', async () => {
    const dataDir = join(aFolder(), 'data');
    const first = await aStartedCluster({ dataDir });
    const kube = new Kube(first.transport());
    await kube.resource(deployments).create(aDeployment('web', 2));
    await podsRun(kube, 2);
    await first.stop();
    expect(await lockHolder(dataDirAt(dataDir))).toBeUndefined();
    const authority = readFileSync(join(dataDir, 'pki', 'ca.crt'), 'utf8');

    const second = await aStartedCluster({ dataDir });
    await second.ready();
    await podsRun(new Kube(second.transport()), 2);
    expect(readFileSync(join(dataDir, 'pki', 'ca.crt'), 'utf8')).toBe(authority);
  });

  test('keeps nothing of an ephemeral cluster', async () => {
    const dataDir = join(aFolder(), 'data');
    const first = await aStartedCluster({ dataDir, ephemeral: true });
    await new Kube(first.transport()).resource(configMaps).create(aConfigMap('gone'));
    await first.stop();
    expect(readdirSync(dataDir)).toEqual(['VERSION']);
    const second = await aStartedCluster({ dataDir, ephemeral: true });
    expect(await configMapNames(new Kube(second.transport()))).toEqual([]);
  });

  test('after SIGKILL under 64 writers: every acknowledged object is there', async (ctx) => {
    const module = fileURLToPath(new URL('../dist/start-cluster.js', import.meta.url));
    needs(ctx, 'the built packages');
    const dataDir = join(aFolder(), 'data');
    for (let round = 0; round < 2; round += 1) {
      const acknowledged = await writeAndKill(module, dataDir, 300);
      const cluster = await aStartedCluster({ dataDir });
      const there = new Set(await configMapNames(new Kube(cluster.transport())));
      expect(acknowledged.filter((name) => !there.has(name))).toEqual([]);
      await cluster.stop();
    }
  });
});

describe('startCluster() refuses', () => {
  test('a port in use, before it writes anything', async () => {
    const busy = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => busy.once('listening', resolve));
    const { port } = busy.address() as { port: number };
    const dataDir = join(aFolder(), 'data');
    const refused = { message: `port ${port} is in use`, reason: 'PortInUse', exitCode: 2 };
    await expect(aStartedCluster({ dataDir, port })).rejects.toMatchObject(refused);
    expect(existsSync(dataDir)).toBe(false);
    await new Promise((resolve) => busy.close(resolve));
  });

  test('a data directory in use, naming who uses it', async () => {
    const dataDir = join(aFolder(), 'data');
    await aStartedCluster({ dataDir, ephemeral: true });
    const message = expect.stringContaining(`cluster "dev" is already running (pid ${process.pid}, since `);
    await expect(aStartedCluster({ dataDir, ephemeral: true })).rejects.toMatchObject({ message, exitCode: 1 });
  });

  const bad: [string, ClusterOptions, RegExp][] = [
    ['a component that there is not', { componentGates: { 'kube-proxy': { A: true } } }, /no component "kube-proxy"/],
    ['a gate its component does not know', { componentGates: { kubelet: { Nope: true } } }, /kubelet refuses .*Nope/],
    ['a gate that no component knows', { featureGates: { Nope: true } }, /no component has a gate "Nope"/],
    ['an address of another machine', { bind: '192.0.2.1' }, /192\.0\.2\.1 is not an address of this machine/],
    ['a version that is none', { version: 'new' }, /new/],
  ];
  test.each(bad)('%s', async (_what, options, message) => {
    const dataDir = join(aFolder(), 'data');
    await expect(aStartedCluster({ dataDir, ...options })).rejects.toMatchObject({
      message: expect.stringMatching(message),
      exitCode: 2,
    });
    expect(existsSync(dataDir)).toBe(false);
  });

  test('damaged data, and leaves it as it is', async () => {
    const dataDir = join(aFolder(), 'data');
    await (await aStartedCluster({ dataDir })).stop();
    writeFileSync(join(dataDir, 'store.mdb'), 'rubbish');
    await expect(aStartedCluster({ dataDir })).rejects.toMatchObject({ reason: 'DataDamaged', exitCode: 2 });
    expect(readFileSync(join(dataDir, 'store.mdb'), 'utf8')).toBe('rubbish');
    expect(await lockHolder(dataDirAt(dataDir))).toBeUndefined();
  });

  test('a kubeconfig asked for by name that it cannot add to', async () => {
    const folder = aFolder();
    const path = join(folder, 'kubeconfig');
    writeFileSync(path, 'kind: Pod');
    const start = aStartedCluster({ dataDir: join(folder, 'data'), writeKubeconfig: { path } });
    await expect(start).rejects.toMatchObject({ reason: 'KubeconfigUnreadable', exitCode: 2 });
    expect(readdirSync(folder)).toEqual(['kubeconfig']);
  });
});

describe("the user's kubeconfig", () => {
  test('is added to while the cluster runs, and given back', async () => {
    const folder = aFolder();
    const path = join(folder, 'config');
    const before = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [],
      users: [],
      contexts: [{ name: 'work', context: {} }],
    };
    writeFileSync(path, JSON.stringify({ ...before, 'current-context': 'work' }));
    vi.stubEnv('KUBECONFIG', path);
    const cluster = await aStartedCluster({ dataDir: join(folder, 'data'), ephemeral: true, writeKubeconfig: 'user' });
    expect(parseYaml(readFileSync(path, 'utf8'))).toMatchObject({ 'current-context': 'slipway-dev' });
    expect(readFileSync(join(folder, 'data', 'kubeconfig'), 'utf8')).toBe(cluster.kubeconfig);
    await cluster.stop();
    expect(parseYaml(readFileSync(path, 'utf8'))).toEqual({ ...before, 'current-context': 'work' });
  });

  test('that cannot be read is left alone, with a warning', async () => {
    const folder = aFolder();
    const path = join(folder, 'config');
    writeFileSync(path, 'kind: Pod');
    vi.stubEnv('KUBECONFIG', path);
    const cluster = await aStartedCluster({ dataDir: join(folder, 'data'), ephemeral: true, writeKubeconfig: 'user' });
    expect(cluster.warnings).toEqual([expect.stringContaining(`use KUBECONFIG=${join(folder, 'data', 'kubeconfig')}`)]);
    expect(readFileSync(path, 'utf8')).toBe('kind: Pod');
  });
});

describe('control requests', () => {
  test('tell of the cluster, restart a component with and without pins, and stop it', async () => {
    const dataDir = join(aFolder(), 'data');
    const gate = 'MaxUnavailableStatefulSet';
    const pins = { 'kube-controller-manager': { [gate]: true } };
    const cluster = await aStartedCluster({
      dataDir,
      ephemeral: true,
      nodes: 2,
      version: '1.34',
      componentGates: pins,
    });
    await cluster.ready();
    const socket = (await lockHolder(dataDirAt(dataDir)))?.socket ?? '';
    expect(await askControl(socket, { verb: 'status' })).toEqual({ name: 'dev', url: cluster.url, nodes: 2, dataDir });
    const manager = cluster.components.find(({ name }) => name === 'kube-controller-manager');
    expect(manager?.gate.enabled(gate)).toBe(true);
    await askControl(socket, { verb: 'restart', component: 'kube-controller-manager' });
    expect(manager?.gate.enabled(gate)).toBe(false);
    await askControl(socket, { verb: 'restart', component: 'kube-apiserver', gates: { [gate]: true } });
    expect(cluster.components.find(({ name }) => name === 'kube-apiserver')?.gate.enabled(gate)).toBe(true);
    for (const component of ['kubelet', 'kube-scheduler']) await askControl(socket, { verb: 'restart', component });

    // All of it still works together.
    const kube = new Kube(cluster.transport());
    await kube.resource(deployments).create(aDeployment('web', 2));
    await podsRun(kube, 2);

    const refused = (request: Parameters<typeof askControl>[1], message: RegExp) =>
      expect(askControl(socket, request)).rejects.toThrow(message);
    await refused({ verb: 'restart', component: 'kube-proxy' }, /no component "kube-proxy"/);
    await refused({ verb: 'restart', component: 'kubelet', gates: { Nope: true } }, /Nope/);
    await refused({ verb: 'restart', component: 'kubelet', instance: 'n9' }, /no kubelet is called "n9"/);
    await refused({ verb: 'dance' }, /dance/);

    const order: string[] = [];
    cluster.beforeStop(async () => {
      await kube.resource(nodes).list();
      order.push('hook');
    });
    void cluster.stopped.then(() => order.push('stopped'));
    await askControl(socket, { verb: 'stop' });
    await cluster.stopped;
    expect(order).toEqual(['hook', 'stopped']);
    expect(await lockHolder(dataDirAt(dataDir))).toBeUndefined();
  });
});

/** Names that a cluster in a process of its own acknowledged before it was killed, `atLeast` and some more. */
async function writeAndKill(module: string, dataDir: string, atLeast: number): Promise<readonly string[]> {
  const program = fileURLToPath(new URL('./testdata/cluster.mjs', import.meta.url));
  const child = spawn(process.execPath, [program, module, dataDir], { stdio: ['ignore', 'pipe', 'ignore'] });
  let text = '';
  for await (const chunk of child.stdout) {
    text += chunk;
    if (text.split('\n').length > atLeast) child.kill('SIGKILL');
  }
  // The first line is the address, the last one may be cut off.
  const acknowledged = text.split('\n').slice(1, -1);
  expect(acknowledged.length).toBeGreaterThanOrEqual(atLeast - 1);
  return acknowledged;
}
