import { criClient } from '@slipway/image-pulls/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { hasPart, needs } from '../../tools/real-parts.js';
import { type FeatureSeen, HalfWayFeatures } from '../support/half-way-features.js';
import { type Build, type RealKubernetes, realKubernetes } from '../support/real-kubernetes.js';
import { type RealNode, realNode } from '../support/real-node.js';
import { balloonPod, sizedNode } from '../support/resized-node.js';
import { eventually, repository } from '../support/slipway.js';

// From the release before this one to this one and back, on a real API server, with objects in every state.

const parts = ['real Kubernetes', 'kubectl', 'the previous release'] as const;

const previousTree = process.env.SLIPWAY_PREVIOUS_RELEASE ?? '';
const servers = new Map<string, ReturnType<Build['start']>>();
const closing: (() => unknown)[] = [];
let controllers = 0;

let real: RealKubernetes;
let previous: Build;
beforeAll(async () => {
  if (!parts.every(hasPart)) return;
  real = await realKubernetes(process.env.SLIPWAY_REAL_KUBERNETES ?? '');
  previous = real.build(previousTree);
}, 180_000);
afterAll(async () => {
  for (const close of closing) close();
  await real?.[Symbol.asyncDispose]();
});

beforeEach((context) => {
  for (const part of parts) needs(context, part);
});

test('an upgrade after a crash: nothing is lost from objects, and every feature goes on from where it was', async () => {
  await install(previous);
  const before = await serve(previous, 'previous');
  const features = new HalfWayFeatures(real, 'up-');
  await features.make(previous);
  await before.end('SIGKILL');
  const objects = await features.objects();
  await install(real);
  expect(await features.objects()).toEqual(objects);
  const ways = await waysOf(features);
  await serve(real, 'current');
  await features.end(real);
  await features.reaches('guarded', 'Off');
  await expectWentOn(features, ways);
}, 300_000);

test('a rollback while both releases run: every feature goes on from where it was', async () => {
  const features = new HalfWayFeatures(real, 'back-');
  await features.make(real);
  const ways = await waysOf(features);
  await install(previous);
  await serve(previous, 'previous-again');
  await servers.get('current')?.end();
  await features.end(previous);
  await expectWentOn(
    features,
    ways.filter(([name]) => name !== 'guarded'),
  );
}, 300_000);

test('objects that a next version of their kind stores are served in this one, and stored in it again', async () => {
  const definition = ['crd', 'features.features.slipway.dev'];
  const patch = async (...words: string[]) => {
    const patched = await real.kubectl(['patch', ...definition, ...words]);
    expect(patched, patched.stderr).toMatchObject({ code: 0 });
  };
  const stores = (index: number) =>
    [0, 1].map((at) => ({ op: 'replace', path: `/spec/versions/${at}/storage`, value: at === index }));
  const copied = { op: 'copy', from: '/spec/versions/0', path: '/spec/versions/1' };
  const named = { op: 'replace', path: '/spec/versions/1/name', value: 'v1beta1' };
  const contents = async () => {
    const { stdout } = await real.kubectl(['get', 'features.v1alpha1.features.slipway.dev', '-A', '-o', 'json']);
    const { items } = JSON.parse(stdout) as { items: { metadata: { name: string }; spec: object }[] };
    return items.map(({ metadata, spec }) => ({ name: metadata.name, spec }));
  };
  const features = await contents();
  await patch('--type=json', '-p', JSON.stringify([copied, named, ...stores(1)]));
  await rewriteFeatures();
  expect(await contents()).toEqual(features);
  const refused = await real.slipway('install', '--no-processes', '--guards');
  expect(refused).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('in v1beta1, which this release does not'),
  });
  await patch('--type=json', '-p', JSON.stringify(stores(0)));
  await rewriteFeatures();
  await patch('--subresource=status', '--type=merge', '-p', '{"status":{"storedVersions":["v1alpha1"]}}');
  await install(real);
  expect(await contents()).toEqual(features);
});

/** A server that writes meanwhile makes single objects conflict. */
async function rewriteFeatures(): Promise<void> {
  await eventually('every Feature is written again', async () => {
    const { stdout } = await real.kubectl(['get', 'features', '-A', '-o', 'json']);
    const { code, stderr } = await real.kubectl(['replace', '-f', '-'], JSON.parse(stdout));
    if (code !== 0) throw new Error(stderr);
    return true;
  });
}

test('a resize that is under way goes on in the other release, and so do pulls that wait, there and back', async (context) => {
  needs(context, 'a real kubelet');
  await using node = await realNode(real, process.env.SLIPWAY_REAL_KUBERNETES ?? '');
  const there = { from: previous, to: real, tree: repository, cpu: '700m' };
  const back = { from: real, to: previous, tree: previousTree, cpu: '200m' };
  await install(previous);
  await (await node.takeOver(previousTree)).ended;
  let controller = await control(previous);
  await sizeOf(previous, node.name, '400m');
  for (const { from, to, tree, cpu } of [there, back]) {
    const { uid } = await balloonPod(real);
    await node.killKubelet();
    const pulls = await pullTwo(node, cpu);
    expect(await from.slipway('node', 'size', node.name, '--balloon-cpu', cpu)).toMatchObject({ code: 0 });
    const ticket = await eventually('a resize is under way', async () => (await sizedNode(real, node.name)).ticket);
    await controller.end('SIGKILL');
    const stored = await nodeSizes();
    await install(to);
    expect(await nodeSizes()).toEqual(stored);
    const before = await node.takeOver(tree);
    controller = await control(to);
    node.startKubelet();
    node.registry.hold(false);
    for (const { result } of pulls.calls) expect(await result).toMatchObject({ code: 0 });
    expect(await before.ended).toBe(0);
    expect(pulls.images.map((image) => node.registry.layers(image))).toEqual([1, 1]);
    await sizeOf(to, node.name, cpu);
    expect(await balloonPod(real)).toEqual({ uid, cpu, restarts: 0 });
    const { history } = await sizedNode(real, node.name);
    expect(history.filter(({ id }) => id === ticket.id)).toHaveLength(1);
  }
}, 300_000);

/** Requests two images, of which one is being pulled and one waits. */
async function pullTwo(node: RealNode, prefix: string) {
  node.registry.hold(true);
  const images = ['a', 'b'].map((name) => `${prefix}-${name}`);
  const client = criClient(node.imageSocket);
  closing.push(() => client.close());
  const calls = [];
  for (const image of images) calls.push(client.pull(await node.push(image)));
  await eventually('one is pulled and one waits', async () => {
    const { running, waiting } = await node.pulls.state();
    return running.length === 1 && waiting.length === 1;
  });
  return { images, calls };
}

async function nodeSizes(): Promise<string> {
  return (await real.kubectl(['get', 'nodesizes,balloonpolicies', '-o', 'json', '--show-managed-fields'])).stdout;
}

/** Resolves when so much of the node is hidden. */
async function sizeOf(build: Build, node: string, balloonCpu: string): Promise<void> {
  const sized = await build.slipway('node', 'size', node, '--balloon-cpu', balloonCpu, '--wait', '--timeout', '60s');
  expect(sized, sized.stderr).toMatchObject({ code: 0 });
}

/** Starts a balloon controller, and resolves when it works. */
async function control(build: Build) {
  const { stdout } = await real.kubectl(['-n', 'slipway-system', 'create', 'token', 'slipway-balloons']);
  const identity = `balloons-${controllers++}`;
  const controller = build.start(
    stdout,
    'run',
    'balloon-controller',
    '--identity',
    identity,
    '--listen',
    '127.0.0.1:0',
  );
  await eventually('the controller listens', async () => real.log(identity).includes('health at'), 60_000);
  return controller;
}

async function install(build: Build): Promise<void> {
  const installed = await build.slipway('install', '--no-processes', '--guards');
  expect(installed, installed.stderr).toMatchObject({ code: 0 });
}

/** Starts a feature server, and resolves when it works. */
async function serve(build: Build, identity: string) {
  const { stdout } = await real.kubectl(['-n', 'slipway-system', 'create', 'token', 'slipway-feature-server']);
  const server = build.start(stdout, 'run', 'feature-server', '--identity', identity, '--listen', '127.0.0.1:0');
  servers.set(identity, server);
  await eventually('the server listens', async () => real.log(identity).includes('health at'), 60_000);
  return server;
}

const underWay = ['clearing', 'paused', 'asking', 'guarded', 'awaiting'];

type Ways = readonly (readonly [string, FeatureSeen['status']['transition']])[];

/** Transitions that are under way, by feature. */
async function waysOf(features: HalfWayFeatures): Promise<Ways> {
  const seen = await Promise.all(underWay.map(async (name) => [name, await features.see(name)] as const));
  return seen.map(([name, { status }]) => [name, status.transition]);
}

/** No transition began anew. */
async function expectWentOn(features: HalfWayFeatures, ways: Ways): Promise<void> {
  for (const [name, transition] of ways) {
    const { history = [] } = (await features.see(name)).status;
    expect(
      history.filter(({ id }) => id === transition?.id),
      name,
    ).toMatchObject([{ result: 'Completed' }]);
  }
}
