import { aCluster } from '@slipway/devcluster/testing/a-cluster';
import type { ResourceClient } from '@slipway/kube';
import { ManualClock } from '@slipway/kube/testing';
import { type Pod, pods } from '@slipway/kube-objects/kinds/api/pods';
import { expect, test } from 'vitest';
import { ordinarySettings } from '../settings/kubelet-settings.js';
import { aPodAsking, firstOf, resizing } from '../testing/resizing.js';
import { ordinaryImages } from './images-file.js';
import { limitedPulls } from './limited-pulls.js';
import { presentImages } from './present-images.js';

test('a pod whose image does not exist waits with the errors of a kubelet; others run, and nothing is loaded for them', async () => {
  let loaded = 0;
  await using node = await aNode(() => {
    loaded += 1;
  });
  const { client, get, told, step } = node;
  const create = (name: string, image: string, more: object = {}) =>
    client.create(aPodAsking(name, {}, { containers: [{ name: 'main', image }], ...more }));

  const there = await create('there', 'nginx:1.27');
  await step(1_000);
  expect(firstOf(await get(there))?.state.running).toBeDefined();
  expect(loaded).toBe(0);

  const missing = await create('missing', 'nginx:does-not-exist');
  const initMissing = await create('init-missing', 'nginx', {
    initContainers: [{ name: 'init', image: 'nonexistent' }],
  });
  await step(500);
  expect(firstOf(await get(missing))?.state.waiting).toMatchObject({
    reason: 'ErrImagePull',
    message: expect.stringMatching(/^rpc error: code = NotFound desc = .*nginx:does-not-exist: not found$/),
  });
  await step(5_000);
  expect(firstOf(await get(missing))?.state.waiting?.reason).toBe('ImagePullBackOff');
  expect((await get(initMissing)).status?.initContainerStatuses?.[0]?.state.waiting?.reason).toMatch(
    /^(ErrImagePull|ImagePullBackOff)$/,
  );
  expect(await told(missing)).toEqual(expect.arrayContaining(['Pulling', 'Failed', 'BackOff']));
  expect(loaded).toBe(1);
});

test('a container that runs is started again with another image; one that waits gets the one that it is given instead', async () => {
  await using node = await aNode();
  const { client, get, told, step } = node;
  const containers = [
    { name: 'main', image: 'nginx:1.27' },
    { name: 'other', image: 'other:1' },
  ];
  const pod = await client.create(aPodAsking('web', {}, { containers }));
  const give = async (image: string) => {
    await giveImage(client, image);
    await step(3_000);
    return firstOf(await get(pod));
  };
  await step(1_000);
  const before = firstOf(await get(pod));

  const second = await give('nginx:1.28');
  expect(second).toMatchObject({ image: 'nginx:1.28', restartCount: 1, ready: true });
  expect(second?.imageID).not.toBe(before?.imageID);
  expect(second?.lastState?.terminated).toMatchObject({ containerID: before?.containerID });
  expect(await told(pod)).toEqual(expect.arrayContaining(['Killing']));

  const missing = await give('nginx:does-not-exist');
  expect(missing?.state.waiting?.reason).toMatch(/^(ErrImagePull|ImagePullBackOff)$/);
  expect(missing?.lastState?.terminated?.containerID).toBe(second?.containerID);

  const fixed = await give('nginx:1.29');
  expect(fixed).toMatchObject({ image: 'nginx:1.29', restartCount: 2, ready: true });
  const other = (await get(pod)).status?.containerStatuses?.[1];
  expect(other).toMatchObject({ restartCount: 0, ready: true });
});

test('a pod whose image does not exist starts once it is given one that does', async () => {
  await using node = await aNode();
  const { client, get, step } = node;
  const containers = [
    { name: 'main', image: 'nginx:404' },
    { name: 'beside', image: 'nginx' },
  ];
  const pod = await client.create(aPodAsking('web', {}, { containers }));
  await step(5_000);
  const statuses = async () => (await get(pod)).status?.containerStatuses;
  // By name, as kubelets have them.
  const [running, waiting] = (await statuses()) ?? [];
  expect(running).toMatchObject({ name: 'beside', ready: true });
  expect(waiting?.state.waiting?.reason).toBe('ImagePullBackOff');
  await giveImage(client, 'nginx');
  await step(3_000);
  expect((await statuses())?.[1]).toMatchObject({ name: 'main', image: 'nginx', restartCount: 0, ready: true });
});

/** One node, on which images are there unless they do not exist; time is stepped. */
async function aNode(onLoad: () => void = () => {}) {
  const clock = new ManualClock();
  const newPulls = presentImages(async () => {
    onLoad();
    return limitedPulls(ordinaryImages, ordinarySettings);
  });
  const cluster = await aCluster({ nodes: 1, clock, newPulls });
  const { get, told } = resizing(cluster.kube);
  return {
    client: cluster.kube.resource(pods),
    get,
    told,
    async step(ms: number) {
      for (let at = 0; at < ms; at += 100) await clock.advance(100);
    },
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
}

/** Gives the first container of the pod `web` another image. */
function giveImage(client: ResourceClient<Pod>, image: string): Promise<Pod> {
  const operation = { op: 'replace', path: '/spec/containers/0/image', value: image } as const;
  return client.json({ name: 'web', namespace: 'default' }, [operation]);
}
