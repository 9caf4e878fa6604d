import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canaryBucket, createFeatureGate } from '@slipway/feature-gates';
import { Feature, FeatureDefinition, type FeatureStatus } from '@slipway/features';
import { Kube, type ResourceRef } from '@slipway/kube';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { eventually, freeGates, type RunningCluster, up } from '../support/slipway.js';

const nodes = 6;
let prometheus: Server;
let errors = '0';
/** Three API servers; components take OpenAPIV3 and MaxUnavailableStatefulSet from the API, nothing else. */
let open: RunningCluster;
/** Its operator lets nothing change while components run; the flag of the API server is for MaxUnavailableStatefulSet. */
let closed: RunningCluster;
/** Its data, which outlive it, and the configuration of the other one. */
let folder: string;
let analysesFolder: string;
let admin: Kube;

beforeAll(async () => {
  prometheus = createServer((_request, response) => {
    response.end(JSON.stringify({ status: 'success', data: { resultType: 'scalar', result: [0, errors] } }));
  });
  await new Promise<void>((resolve) => prometheus.listen(0, '127.0.0.1', () => resolve()));
  const { port } = prometheus.address() as AddressInfo;
  analysesFolder = mkdtempSync(join(tmpdir(), 'slipway-e2e-'));
  const tasks = join(analysesFolder, 'analyses.yaml');
  const analyses = { errors: { promQL: { url: `http://127.0.0.1:${port}`, query: 'errors' } } };
  writeFileSync(tasks, stringify({ analyses }));
  const taken = 'OpenAPIV3,MaxUnavailable*';
  open = await up({
    kubernetes: freeGates,
    nodes,
    args: ['--servers', '3', '--dynamic-features', taken, '--feature-tasks', tasks],
  });
  folder = mkdtempSync(join(tmpdir(), 'slipway-e2e-'));
  closed = await upClosed();
  admin = await Kube.connect({ kubeconfig: open.kubeconfig });
  for (const { kubeconfig } of [open, closed]) {
    const kube = await Kube.connect({ kubeconfig });
    await eventually('the features are announced', async () => {
      const { items } = await kube.resource(Feature).list({ namespace: 'kube-system' });
      const known = items.filter(({ status }) => status?.settable);
      return known.length >= 3;
    });
  }
}, 120_000);
afterAll(async () => {
  prometheus?.close();
  await Promise.all([open?.[Symbol.asyncDispose](), closed?.[Symbol.asyncDispose]()]);
  for (const path of [folder, analysesFolder]) if (path) rmSync(path, { recursive: true, force: true });
}, 60_000);

test('E2: a user without access to nodes, but with set-dynamic, turns a feature of three API servers, live', async () => {
  const setter = await userWith(open, 'setter', ['slipway:feature-setter']);
  const off = await open.slipway(['feature', 'off', 'OpenAPIV3', '--timeout=20s'], { env: { KUBECONFIG: setter } });
  expect(off, off.stderr).toMatchObject({ code: 0, stdout: 'OpenAPIV3 is Off.\n' });
  const { uses, history } = await statusOf(admin, 'kube-system', 'openapiv3');
  expect(uses).toMatchObject({ off: 3, on: 0, silent: 0 });
  const [{ startedAt, endedAt } = { startedAt: '', endedAt: '' }] = history ?? [];
  expect(Date.parse(endedAt) - Date.parse(startedAt)).toBeLessThan(10_000);
  for (const url of await serverUrls()) expect([url, await statusAt(url, '/openapi/v3')]).toEqual([url, 404]);
  const on = await open.slipway(['feature', 'on', 'OpenAPIV3', '--timeout=20s'], { env: { KUBECONFIG: setter } });
  expect(on, on.stderr).toMatchObject({ code: 0 });
  for (const url of await serverUrls()) expect([url, await statusAt(url, '/openapi/v3')]).toEqual([url, 200]);
}, 60_000);

test('E2: a user who may edit features, but has not the verb, gets 403', async () => {
  const rules = [
    { apiGroups: ['features.slipway.dev'], resources: ['*'], verbs: ['get', 'list', 'watch', 'patch', 'update'] },
  ];
  await admin.resource(ClusterRole).create({ ...head(ClusterRole, 'feature-editor'), rules });
  const editor = await userWith(open, 'editor', ['feature-editor']);
  const refused = await open.slipway(['feature', 'off', 'OpenAPIV3'], { env: { KUBECONFIG: editor } });
  expect(refused).toMatchObject({ code: 4, stdout: '' });
  expect(refused.stderr).toContain('needs the verb set-dynamic on features.features.slipway.dev');
  const patch = { spec: { desired: 'Off', mode: 'Dynamic' } };
  const asEditor = await Kube.connect({ kubeconfig: editor });
  const direct = asEditor.resource(Feature).merge({ namespace: 'kube-system', name: 'openapiv3' }, patch);
  await expect(direct).rejects.toMatchObject({ code: 403 });
  // What changes no value needs no more than the right to edit.
  const paused = await open.slipway(['feature', 'pause', 'OpenAPIV3'], { env: { KUBECONFIG: editor } });
  expect(paused, paused.stderr).toMatchObject({ code: 0 });
  await open.slipway(['feature', 'resume', 'OpenAPIV3']);
}, 60_000);

test('a component whose operator does not let it take a gate keeps its value, and the wait says what to do', async () => {
  const waited = await open.slipway(['feature', 'on', 'ImageVolume', '--timeout=4s']);
  expect(waited).toMatchObject({ code: 3 });
  expect(waited.stderr).toContain('let it take the published value with --dynamic-features=ImageVolume');
  expect(await open.slipway(['feature', 'off', 'ImageVolume', '--yes', '--timeout=20s'])).toMatchObject({ code: 0 });
}, 60_000);

test('a feature server that was not told to allow it refuses to set a feature dynamically', async () => {
  const refused = await closed.slipway(['feature', 'off', 'OpenAPIV3']);
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toContain('the feature server was not started with --allow-dynamic=OpenAPIV3');
  expect(refused.stderr).toMatch(/To fix: set OpenAPIV3 in the --feature-gates of each component/);
  // Whoever writes past the command is told by the Feature.
  const kube = await Kube.connect({ kubeconfig: closed.kubeconfig });
  const ref = { namespace: 'kube-system', name: 'openapiv3' };
  await kube.resource(Feature).merge(ref, { spec: { desired: 'Off', mode: 'Dynamic' } });
  await eventually('it is blocked', async () => {
    const { state, conditions } = await statusOf(kube, 'kube-system', 'openapiv3');
    return state === 'On' && conditions?.some(({ type, reason }) => type === 'Blocked' && reason === 'NotDynamic');
  });
}, 60_000);

test('set centrally: the controller manager takes the flag of the API server when it starts', async () => {
  let kube = await Kube.connect({ kubeconfig: closed.kubeconfig });
  const gate = 'MaxUnavailableStatefulSet';
  const status = () => statusOf(kube, 'kube-system', gate.toLowerCase());
  const central = await closed.slipway(['feature', 'mode', gate, 'central']);
  expect(central, central.stderr).toMatchObject({ code: 0 });
  await eventually('the flag is published', async () => (await status()).published?.authority === 'kube-apiserver');
  expect((await status()).published?.value).toBe(true);
  await eventually('it waits for a restart', async () => {
    const { transition } = await status();
    return transition?.tasks[0]?.message?.includes('restart it: it is on when it starts');
  });
  expect((await status()).state).toBe('TurningOn');
  const restart = ['dev', 'component', 'restart', 'kube-controller-manager', '--data-dir', dataOf(closed)];
  expect(await closed.slipway(restart)).toMatchObject({ code: 0 });
  await eventually('it is on', async () => (await status()).state === 'On');

  // An explicit flag of the component pins it.
  await closed.slipway([...restart, '--gates', `${gate}=false`]);
  await eventually('it is named', async () => {
    const { uses } = await status();
    const samples = uses?.components.flatMap((component) => component.samples);
    return samples?.some(({ process, cause }) => process.startsWith('kube-controller-') && cause === 'ExplicitFlag');
  });
  await closed.slipway(restart);
  await eventually('all agree', async () => (await status()).uses?.on === 2);

  const transitions = (await status()).history?.length;

  // A start of the whole cluster: the controller manager has the value before there is an API to ask.

  await closed.stop();

  closed = await upClosed();

  kube = await Kube.connect({ kubeconfig: closed.kubeconfig });

  await eventually('it is on as before', async () => {
    const { state, uses } = await status();

    return state === 'On' && uses?.on === 2;
  });

  expect((await status()).history?.length).toBe(transitions);

  // One place to set it: the API server's flag goes, the rest follows.
  const server = [
    'dev',
    'component',
    'restart',
    'kube-apiserver',
    '--data-dir',
    dataOf(closed),
    '--gates',
    `${gate}=false`,
  ];
  expect(await closed.slipway(server)).toMatchObject({ code: 0 });
  await eventually('it turns off', async () => (await status()).state === 'TurningOff');
  await eventually('false is published', async () => (await status()).published?.value === false);
  expect(await closed.slipway(restart)).toMatchObject({ code: 0 });
  await eventually('clearing fields waits for consent', async () => {
    return (await status()).transition?.tasks[0]?.reason === 'NeedsApproval';
  });
  expect(await closed.slipway(['feature', 'approve', gate, '--yes'])).toMatchObject({ code: 0 });
  await eventually('it is off', async () => (await status()).state === 'Off');
}, 90_000);

test('E3: a feature that takes a flag of its own cannot be set from the API, and follows its command line', async () => {
  await declare('FeatureX', { components: [{ name: 'acme-server', roster: 'Self' }] });
  const gate = createFeatureGate({ component: 'acme-server', version: '1.0' });
  gate.add({ FeatureX: { stage: 'Alpha', default: false } });
  gate.registerConfig('FeatureX', '--x-limit');
  gate.set('FeatureX=true');
  await using _process = gate.startReporting({ transport: admin.transport, ...reporting, instance: 'server-0' });
  await eventually('it is on by its flag', async () => (await statusOf(admin, 'default', 'featurex')).state === 'On');
  const refused = await open.slipway(['feature', 'off', 'FeatureX', '-n', 'default']);
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toContain('acme-server takes --x-limit with it, so only its own command line can set it');
  await admin
    .resource(Feature)
    .merge({ namespace: 'default', name: 'featurex' }, { spec: { desired: 'Off', mode: 'Dynamic' } });
  await eventually('it is blocked', async () => {
    const { conditions } = await statusOf(admin, 'default', 'featurex');
    return conditions?.some(({ type, reason }) => type === 'Blocked' && reason === 'NotDynamic');
  });
}, 60_000);

test('a canary on nodes is taken back by itself when a measurement is bad, and goes through when it is good', async () => {
  const names = await nodeNames();
  const share = names.filter((node) => canaryBucket('Canaried', { instance: node, node }) < 5_000);
  expect([0, nodes]).not.toContain(share.length);
  await declare('Canaried', { scope: 'Cluster', components: [{ name: 'acme-agent', roster: 'Nodes' }] });
  const agents = names.map((node) => {
    const gate = createFeatureGate({ component: 'acme-agent', version: '1.0' });
    gate.add({ Canaried: { stage: 'Alpha', default: false } });
    gate.declareLive('Canaried');
    const stop = gate.startReporting({ transport: admin.transport, ...reporting, instance: node, node });
    return { node, gate, stop };
  });
  const running = () => agents.filter(({ gate }) => gate.enabled('Canaried')).map(({ node }) => node);
  const ref = { namespace: 'default', name: 'canaried' };
  try {
    await eventually('it is off', async () => (await statusOf(admin, 'default', 'canaried')).state === 'Off');
    errors = '0.2';
    const steps = [{ percent: 50, bake: '2s', analysis: { name: 'errors', failAbove: 0.05 } }];
    await admin.resource(Feature).merge(ref, { spec: { canary: { steps } } });
    const plan = await open.slipway(['feature', 'on', 'Canaried', '-n', 'default', '--dry-run']);
    expect(plan.stdout).toContain('Canary-1');
    expect(await open.slipway(['feature', 'on', 'Canaried', '-n', 'default'])).toMatchObject({ code: 0 });
    await eventually('it was taken back', async () => {
      const { state, canaryFailed } = await statusOf(admin, 'default', 'canaried');
      return state === 'Off' && canaryFailed?.message === 'step 1 of 1, 50 %: errors is 0.2, above 0.05';
    });
    expect(running()).toEqual([]);

    errors = '0.01';
    await open.slipway(['feature', 'off', 'Canaried', '-n', 'default', '--wait']);
    expect(await open.slipway(['feature', 'on', 'Canaried', '-n', 'default'])).toMatchObject({ code: 0 });
    await eventually('the first half runs it', async () => running().length === share.length);
    expect(running()).toEqual(share);
    await eventually('all run it', async () => (await statusOf(admin, 'default', 'canaried')).state === 'On');
    expect(running()).toEqual(names);
  } finally {
    for (const { stop } of agents) await stop.stop();
  }
}, 90_000);

const reporting = { namespace: 'default', startWithinMs: 0, dynamicFeatures: ['*'], log: () => {} };

const rbac = (kind: string, plural: string, namespaced: boolean): ResourceRef => ({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind,
  plural,
  namespaced,
});
const ClusterRole = rbac('ClusterRole', 'clusterroles', false);
const RoleBinding = rbac('RoleBinding', 'rolebindings', true);
const ServiceAccount: ResourceRef = {
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  namespaced: true,
};
const Node: ResourceRef = { group: '', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false };

function head({ group, version, kind }: ResourceRef, name: string, namespace?: string) {
  return {
    apiVersion: group ? `${group}/${version}` : version,
    kind,
    metadata: { name, ...(namespace && { namespace }) },
  };
}

function upClosed(): Promise<RunningCluster> {
  const flag = 'MaxUnavailableStatefulSet=true';
  return up({
    kubernetes: freeGates,
    nodes: 1,
    dataDir: folder,
    args: ['--allow-dynamic', 'none', '--feature-gates', flag],
  });
}

/** A kubeconfig of a service account that has the roles in kube-system. */
async function userWith(cluster: RunningCluster, name: string, roles: readonly string[]): Promise<string> {
  const namespace = 'kube-system';
  await admin.resource(ServiceAccount).create(head(ServiceAccount, name, namespace));
  for (const role of roles) {
    await admin.resource(RoleBinding).create({
      ...head(RoleBinding, name, namespace),
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    });
  }
  const asked = await admin.transport.request({
    method: 'POST',
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
  });
  const { token } = (asked.body as { status: { token: string } }).status;
  const config = parse(readFileSync(cluster.kubeconfig, 'utf8'));
  for (const user of config.users) user.user = { token };
  const path = join(cluster.dataDir, `kubeconfig.${name}`);
  writeFileSync(path, stringify(config));
  return path;
}

async function declare(gate: string, spec: object): Promise<void> {
  await admin.resource(FeatureDefinition).create({
    ...head(FeatureDefinition, gate.toLowerCase(), 'default'),
    spec: { gate, dynamic: 'Live', cleanup: 'Automatic', components: [], ...spec },
  } as FeatureDefinition);
}

async function statusOf(kube: Kube, namespace: string, name: string): Promise<FeatureStatus> {
  return (await kube.resource(Feature).find({ namespace, name }))?.status ?? {};
}

async function nodeNames(): Promise<readonly string[]> {
  const { items } = await admin.resource(Node).list({});
  return items.map(({ metadata }) => metadata.name ?? '').sort();
}

function dataOf({ dataDir }: RunningCluster): string {
  return join(dataDir, 'data');
}

/** The addresses of the single API servers. */
async function serverUrls(): Promise<readonly string[]> {
  const { clusters } = parse(readFileSync(open.kubeconfig, 'utf8')) as {
    clusters: { name: string; cluster: { server: string } }[];
  };
  const single = clusters.filter(({ name }) => /-server-\d$/.test(name));
  expect(single).toHaveLength(3);
  return single.map(({ name }) => name);
}

/** The HTTP status of a path at one of them, by the name of its context. */
async function statusAt(context: string, path: string): Promise<number> {
  const kube = await Kube.connect({ kubeconfig: open.kubeconfig, context });
  return (await kube.transport.request({ method: 'GET', path })).status;
}
