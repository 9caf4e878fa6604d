import { aCluster } from '@slipway/devcluster/testing/a-cluster';
import { Events } from '@slipway/kube';
import { ManualClock } from '@slipway/kube/testing';
import { type Pod, pods } from '@slipway/kube-objects/kinds/api/pods';
import { versionProfiles } from '@slipway/kube-objects/rules/version-profile';
import { expect, test } from 'vitest';
import { kubeletSettings } from '../settings/read-kubelet-settings.js';
import { aPodAsking, firstOf, resizing } from '../testing/resizing.js';
import { readImages } from './images-file.js';
import { limitedPulls } from './limited-pulls.js';

/** One node whose images come as told; time is stepped. */
async function aNode(images: string, configuration: object = { serializeImagePulls: false, registryPullQPS: 0 }) {
  const clock = new ManualClock();
  const cluster = await aCluster({
    nodes: 1,
    clock,
    profile: { ...versionProfiles.native, mountsImages: true },
    newPulls: limitedPulls(readImages(images), kubeletSettings(configuration)),
  });
  const helpers = resizing(cluster.kube);
  return {
    ...cluster,
    ...helpers,
    create: (name: string, image: string, more: object = {}): Promise<Pod> =>
      cluster.kube.resource(pods).create(aPodAsking(name, {}, { containers: [{ name: 'main', image, ...more }] })),
    async step(ms: number) {
      for (let at = 0; at < ms; at += 100) await clock.advance(100);
    },
    async shown(...all: Pod[]) {
      const seen = await Promise.all(all.map((pod) => helpers.get(pod)));
      return seen
        .map((pod) => (firstOf(pod)?.state.running ? 'running' : firstOf(pod)?.state.waiting?.reason))
        .join(' ');
    },
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
}

test('images take the time that their size takes on a shared link', async () => {
  await using node = await aNode('{bandwidth: 10Mi, size: 10Mi}');
  const [a, b] = [await node.create('a', 'a:1'), await node.create('b', 'b:1')];
  await node.step(1_500);
  expect(await node.shown(a, b)).toBe('ContainerCreating ContainerCreating');
  await node.step(1_000);
  expect(await node.shown(a, b)).toBe('running running');
  const again = await node.create('again', 'a:1');
  await node.step(100);
  expect(await node.shown(again)).toBe('running');
  expect(await node.told(a)).toEqual(expect.arrayContaining(['Pulling', 'Pulled', 'Created', 'Started']));
});

test('a kubelet that is told to pulls one after the other: the first is there in half the time', async () => {
  await using node = await aNode('{bandwidth: 10Mi, size: 10Mi}', { registryPullQPS: 0 });
  const [a, b] = [await node.create('a', 'a:1'), await node.create('b', 'b:1')];
  await node.step(1_500);
  expect((await node.shown(a, b)).split(' ').sort()).toEqual(['ContainerCreating', 'running']);
  await node.step(1_000);
  expect(await node.shown(a, b)).toBe('running running');
});

test('an image that fails: ErrImagePull, then ImagePullBackOff, and it comes once it can', async () => {
  await using node = await aNode('images: [{name: broken, error: "not found", failures: 2}]');
  const pod = await node.create('p', 'broken:1');
  await node.step(500);
  expect(firstOf(await node.get(pod))?.state.waiting).toEqual({ reason: 'ErrImagePull', message: 'not found' });
  await node.step(2_000);
  expect(firstOf(await node.get(pod))?.state.waiting).toEqual({
    reason: 'ImagePullBackOff',
    message: 'Back-off pulling image "broken:1": ErrImagePull: not found',
  });
  await node.step(8_200);
  expect(await node.shown(pod)).toBe('ErrImagePull');
  await node.step(25_000);
  expect(await node.shown(pod)).toBe('running');
  expect(await node.told(pod)).toEqual(expect.arrayContaining(['Pulling', 'Failed', 'BackOff', 'Pulled']));
  const { items } = await node.kube.resource(Events).list({ namespace: pod.metadata.namespace ?? '' });
  const failed = items.flatMap(({ reason, message, involvedObject: { fieldPath } }) =>
    reason === 'Failed' ? [`${fieldPath} ${message}`] : [],
  );
  expect(failed.sort()).toEqual([
    'spec.containers{main} Error: ErrImagePull',
    'spec.containers{main} Error: ImagePullBackOff',
    'spec.containers{main} Failed to pull image "broken:1": not found',
  ]);
});

test('what is never pulled, and what is not a reference', async () => {
  await using node = await aNode('');
  const never = await node.create('never', 'a:1', { imagePullPolicy: 'Never' });
  const wrong = await node.create('wrong', 'A B');
  await node.step(500);
  expect(await node.shown(never, wrong)).toBe('ErrImageNeverPull InvalidImageName');
});

test('pulls that come too fast are refused by the kubelet itself, and come later', async () => {
  await using node = await aNode('', { serializeImagePulls: false, registryPullQPS: 1, registryBurst: 1 });
  const [a, b] = [await node.create('a', 'a:1'), await node.create('b', 'b:1')];
  await node.step(300);
  expect((await node.shown(a, b)).split(' ').sort()).toEqual(['ErrImagePull', 'running']);
  const late = firstOf(await node.get(a))?.state.running ? b : a;
  expect(firstOf(await node.get(late))?.state.waiting?.message).toBe('pull QPS exceeded');
  await node.step(15_000);
  expect(await node.shown(a, b)).toBe('running running');
});

test('an init container gets its image first, containers one after the other, and a pod that goes gives up', async () => {
  await using node = await aNode('{bandwidth: 10Mi, size: 10Mi}', { registryPullQPS: 0 });
  const spec = {
    initContainers: [{ name: 'init', image: 'init:1' }],
    containers: [
      { name: 'a', image: 'a:1' },
      { name: 'b', image: 'b:1' },
    ],
  };
  const pod = await node.kube.resource(pods).create(aPodAsking('p', {}, spec));
  await node.step(500);
  const states = async () => {
    const { status } = await node.get(pod);
    const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
    return all.map(({ state }) => Object.keys(state)[0]).join(' ');
  };
  expect(await states()).toBe('waiting waiting waiting');
  await node.step(1_000);
  expect(await states()).toBe('terminated waiting waiting');
  await node.step(1_000);
  expect(await states()).toBe('terminated running waiting');
  const other = await node.create('other', 'other:1');
  await node.step(200);
  await node.kube.resource(pods).delete({ namespace: 'default', name: 'p' });
  await node.step(1_200);
  expect(await node.shown(other)).toBe('running');
});

test('kubelets that were started anew ask again for what was on its way', async () => {
  await using node = await aNode('{bandwidth: 10Mi, size: 10Mi}');
  const pod = await node.create('p', 'a:1');
  await node.step(500);
  const [kubelet] = node.kubelets();
  await kubelet?.stop();
  await kubelet?.start();
  await node.step(500);
  expect(await node.shown(pod)).toBe('ContainerCreating');
  await node.step(800);
  expect(await node.shown(pod)).toBe('running');
});

const imageVolume = { volumes: [{ name: 'data', image: { reference: 'data:1' } }] };

test('images of volumes come before those of containers, and keep them waiting when they fail', async () => {
  await using node = await aNode(
    '{bandwidth: 10Mi, size: 10Mi, images: [{name: data, error: "no such data", failures: 1}]}',
  );
  node.serverGate.set('ImageVolume=true');
  const pod = await node.kube.resource(pods).create(aPodAsking('p', {}, imageVolume));
  await node.step(500);
  expect(firstOf(await node.get(pod))?.state.waiting).toEqual({ reason: 'ErrImagePull', message: 'no such data' });
  await node.step(11_000);
  expect(await node.shown(pod)).toBe('ContainerCreating');
  await node.step(2_000);
  expect(await node.shown(pod)).toBe('running');
});
