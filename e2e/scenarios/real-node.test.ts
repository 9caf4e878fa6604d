import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { testFolder } from '../../packages/cli/src/testing/test-folder.js';
import { hasPart, needs } from '../../tools/real-parts.js';
import { type RealKubernetes, realKubernetes } from '../support/real-kubernetes.js';
import { endWithNode, type RealNode, realNode } from '../support/real-node.js';
import { balloonPod, sizedNode } from '../support/resized-node.js';
import { eventually, type Outcome, repository } from '../support/slipway.js';

// What no simulation shows: a kubelet of Kubernetes with containerd behind the pull limiter, and its resize of pods.

const parts = ['real Kubernetes', 'kubectl', 'a real kubelet'] as const;
/** Numbers and folders of the proposals in this repository. */
const ownProposals = [
  ['3920', 'sig-api-machinery/3920-finish-features'],
  ['3673', 'sig-node/3673-parallel-image-pull-limit'],
  ['5620', 'sig-node/5620-node-balloons'],
] as const;
const programs = process.env.SLIPWAY_REAL_KUBERNETES ?? '';

let real: RealKubernetes;
let node: RealNode;
beforeAll(async () => {
  if (!parts.every(hasPart)) return;
  real = await realKubernetes(programs);
  const installing = real.slipway('install', '--no-processes');
  node = await realNode(real, programs);
  const installed = await installing;
  expect(installed, installed.stderr).toMatchObject({ code: 0 });
  const token = await kubectl('-n', 'slipway-system', 'create', 'token', 'slipway-balloons');
  real.start(token, 'run', 'balloon-controller', '--listen', '127.0.0.1:0');
  await eventually('pods can be created', async () => {
    const { code } = await real.kubectl(['get', 'serviceaccount', 'default']);
    return code === 0;
  });
}, 180_000);
afterAll(() => endWithNode(real, node));

beforeEach((context) => {
  for (const part of parts) needs(context, part);
});

test('a pod runs whose image came through the limiter', async () => {
  const image = await node.push('web');
  await run('web', image);
  await waitFor('pod/web', 'Ready');
  expect(node.registry.layers('web')).toBe(1);
  expect(await kubectl('get', 'pod', 'web', '-o', 'jsonpath={.status.containerStatuses[0].image}')).toBe(image);
  const runtime = 'jsonpath={.status.nodeInfo.containerRuntimeVersion}';
  expect(await kubectl('get', 'node', node.name, '-o', runtime)).toMatch(/^containerd:\/\/v?2\./);
});

test('a node agent reads the metrics page of the kubelet, and the limiter in front of it', async () => {
  const onNode = ['--bound-object-kind', 'Node', '--bound-object-name', node.name];
  const token = await kubectl('-n', 'slipway-system', 'create', 'token', 'slipway-node-agent', ...onNode);
  real.start(token, 'run', 'node-agent', '--node', node.name, '--pulls-socket', node.pullsSocket);
  const reportOf = async (component: string) => {
    const named = ['featureuse', `${component}.${node.name}`, '-n', 'kube-system', '-o', 'json'];
    const { spec } = JSON.parse(await kubectl('get', ...named)) as { spec: { binaryVersion: string; vector: string } };
    const vector = await kubectl('get', 'featurevector', spec.vector, '-n', 'kube-system', '-o', 'json');
    const { spec: reported } = JSON.parse(vector) as { spec: { gates: { name: string }[] } };
    return { version: spec.binaryVersion, gates: reported.gates.map(({ name }) => name) };
  };
  const kubelet = await eventually('the kubelet is reported', () => reportOf('kubelet'));
  expect(kubelet.version).toBe(
    await kubectl('get', 'node', node.name, '-o', 'jsonpath={.status.nodeInfo.kubeletVersion}'),
  );
  expect(kubelet.gates.length).toBeGreaterThan(100);
  const limiter = await eventually('the limiter is reported', () => reportOf('slipway-pulls'));
  expect(limiter.gates).toEqual(['ParallelImagePullLimit']);
  const involvedObject = { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'web' };
  const metadata = { name: 'forged', namespace: 'default' };
  const event = { apiVersion: 'v1', kind: 'Event', metadata, involvedObject, source: { host: 'another' } };
  const forging = await real.kubectl(['create', '-f', '-', '--token', token], event);
  expect(forging.stderr).toContain(`a node agent reports for its own node, which is ${node.name}`);
});

test('a PullLimit applies to the limiter of the node, whose queue the cluster sees, and goes with it', async () => {
  const limit = { apiVersion: 'pulls.slipway.dev/v1alpha1', kind: 'PullLimit', metadata: { name: 'all' } };
  expect(await real.kubectl(['apply', '-f', '-'], { ...limit, spec: { maxParallelImagePulling: 3 } })).toMatchObject({
    code: 0,
  });
  const queue = async () => {
    const { stdout } = await real.slipway('pulls', 'list', '-A', '-o', 'json');
    const [found] = JSON.parse(stdout) as { node: string; limit: number; limitSource: string }[];
    return found;
  };
  await eventually('the node has the limit of the cluster', async () => (await queue())?.limitSource === 'cluster');
  expect(await queue()).toMatchObject({ node: node.name, limit: 3, isCurrent: true });
  await kubectl('delete', 'pulllimit', 'all');
  await eventually('it has its own again', async () => (await node.pulls.state()).limit === 1);
});

test('pulls that a kubelet asks for are limited and queued, and none is lost when another limiter takes over', async () => {
  const messages = 'jsonpath={range .items[*]}{.message}{"\\n"}{end}';
  const names = ['a', 'b', 'c'];
  const images = await Promise.all(names.map((name) => node.push(name)));
  node.registry.hold(true);
  for (const [at, name] of names.entries()) await run(name, images[at] ?? '');
  const state = () => node.pulls.state();
  await eventually(
    'one is pulled and two wait',
    async () => (await state()).running.length === 1 && (await state()).waiting.length === 2,
  );
  const { running, waiting } = await state();
  expect([...running, ...waiting].flatMap(({ pods }) => pods).sort()).toEqual(names.map((name) => `default/${name}`));
  const before = await node.takeOver();
  await eventually(
    'the next one has them',
    async () => (await state()).adopted === 1 && (await state()).waiting.length === 2,
  );
  const told = await eventually('the pods that wait say so', async () => {
    const lines = await kubectl('get', 'events', '--field-selector', 'reason=PullWaiting', '-o', messages);
    return lines.trim().split('\n').length === 2 && lines;
  });
  expect(told).toMatch(/Waited 10s to pull image "\S+": 1 of 1 slots of this node are in use, position 1 of 2\n/);
  node.registry.hold(false);
  expect(await before.ended).toBe(0);
  for (const name of names) await waitFor(`pod/${name}`, 'Ready');
  expect(node.registry.peak()).toBe(1);
  expect(names.map((name) => node.registry.layers(name))).toEqual([1, 1, 1]);
  expect(await kubectl('get', 'events', '--field-selector', 'reason=Failed', '-o', 'name')).toBe('');
});

test('slipway node size shrinks and grows the node, and its balloon pod is resized in place', async () => {
  await size('500m');
  const { uid } = await balloonPod(real);
  await size('200m');
  expect(await balloonPod(real)).toEqual({ uid, cpu: '200m', restarts: 0 });
  await size('700m');
  expect(await balloonPod(real)).toEqual({ uid, cpu: '700m', restarts: 0 });
  const { stdout } = await real.slipway('node', 'explain', node.name);
  expect(stdout).toMatch(/^State: +AtSize$/m);
  expect(stdout).toMatch(/^balloon +700m \/ 8Mi /m);
  expect(stdout).toMatch(/down ok \S+ +200m \/ 8Mi +700m \/ 8Mi/);
});

test('a pod that does not fit is neither placed on the node nor accepted by its kubelet', async () => {
  const image = await node.push('large');
  const cpu = await kubectl('get', 'node', node.name, '-o', 'jsonpath={.status.allocatable.cpu}');
  const containers = [{ name: 'large', image, resources: { requests: { cpu } } }];
  await run('large', image, { containers });
  await run('forced', image, { containers, nodeName: node.name });
  await eventually('the scheduler refuses one', async () =>
    (await kubectl('describe', 'pod', 'large')).includes('1 Insufficient cpu'),
  );
  await eventually(
    'the kubelet refuses the other',
    async () => (await kubectl('get', 'pod', 'forced', '-o', 'jsonpath={.status.reason}')) === 'OutOfcpu',
  );
  await kubectl('delete', 'pod', 'large', 'forced');
});

test('the node has its new size after its kubelet was killed during the resize and started again', async () => {
  const { uid } = await balloonPod(real);
  await node.killKubelet();
  expect(await real.slipway('node', 'size', node.name, '--balloon-cpu', '900m')).toMatchObject({ code: 0 });
  await eventually(
    'the resize waits for the kubelet',
    async () => (await sizedNode(real, node.name)).conditions.Resizing === 'True',
  );
  node.startKubelet();
  // A kubelet that has just started carries out a resize that it finds only after half a minute; the controller requests
  // it again before that.
  await eventually(
    'the node has its size',
    async () => {
      const { isObserved, cpu, conditions } = await sizedNode(real, node.name);
      return isObserved && cpu === '900m' && conditions.Ready === 'True';
    },
    90_000,
  );
  expect(await balloonPod(real)).toEqual({ uid, cpu: '900m', restarts: 0 });
  expect(await kubectl('get', 'pods', '-A', '--field-selector', 'status.phase!=Running', '-o', 'name')).toBe('');
});

test('the claims of our own proposals hold on this cluster, and the evidence is written beside them', async () => {
  const token = await kubectl('-n', 'slipway-system', 'create', 'token', 'slipway-feature-server');
  real.start(token, 'run', 'feature-server', '--listen', '127.0.0.1:0');
  const root = testFolder();
  // Without the evidence that is there already.
  const filter = (path: string) => !path.includes('/evidence');
  cpSync(join(repository, 'keps'), join(root, 'keps'), { recursive: true, filter });
  for (const [kep, folder] of ownProposals) {
    const verify = (...words: string[]) =>
      real.slipway('kep', 'verify', kep, '--root', root, '--allow-inconclusive', '-o', 'json', ...words);
    const found = await eventually(`the claims of ${kep} hold`, async () => {
      const outcome = await verify();
      const { claims } = JSON.parse(outcome.stdout) as { claims: { id: string; result: string }[] };
      const open = claims.filter(({ result }) => result !== 'verified' && result !== 'skipped');
      if (open.length > 0) throw new Error(`${outcome.stdout}${outcome.stderr}`);
      return claims;
    });
    expect(found.length).toBeGreaterThan(3);
    expect(await verify('--write')).toMatchObject({ code: 0 });
    const [evidence = ''] = readdirSync(join(root, 'keps', folder, 'evidence'));
    expect(evidence).toMatch(/^alpha-v1\.\d+\.\d+-\d{8}\.yaml$/);
  }
  expect(await real.slipway('kep', 'check', '--root', root)).toMatchObject({ code: 0 });
});

async function kubectl(...words: string[]): Promise<string> {
  const outcome: Outcome = await real.kubectl(words);
  expect(outcome.code, `kubectl ${words.join(' ')}: ${outcome.stderr}`).toBe(0);
  return outcome.stdout;
}

async function run(name: string, image: string, spec = {}): Promise<void> {
  const overrides = JSON.stringify({ spec: { terminationGracePeriodSeconds: 1, ...spec } });
  await kubectl('run', name, `--image=${image}`, '--overrides', overrides);
}

async function waitFor(object: string, condition: string): Promise<void> {
  await kubectl('wait', `--for=condition=${condition}`, object, '--timeout=60s');
}

/** Resolves when so much of the node is hidden. */
async function size(balloonCpu: string): Promise<void> {
  const words = ['--balloon-cpu', balloonCpu, '--wait', '--timeout', '50s'];
  const outcome = await real.slipway('node', 'size', node.name, ...words);
  expect(outcome, outcome.stderr).toMatchObject({ code: 0 });
}
