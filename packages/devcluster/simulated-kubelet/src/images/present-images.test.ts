import { aCluster } from '@slipway/devcluster/testing/a-cluster';
import { ManualClock } from '@slipway/kube/testing';
import { pods } from '@slipway/kube-objects/kinds/api/pods';
import { expect, test } from 'vitest';
import { ordinarySettings } from '../settings/kubelet-settings.js';
import { aPodAsking, firstOf, resizing } from '../testing/resizing.js';
import { ordinaryImages } from './images-file.js';
import { limitedPulls } from './limited-pulls.js';
import { presentImages } from './present-images.js';

test('a pod whose image does not exist waits with the errors of a kubelet; others run, and nothing is loaded for them', async () => {
  const clock = new ManualClock();
  let loaded = 0;
  const newPulls = presentImages(async () => {
    loaded += 1;
    return limitedPulls(ordinaryImages, ordinarySettings);
  });
  await using cluster = await aCluster({ nodes: 1, clock, newPulls });
  const { get, told } = resizing(cluster.kube);
  const create = (name: string, image: string, more: object = {}) =>
    cluster.kube.resource(pods).create(aPodAsking(name, {}, { containers: [{ name: 'main', image }], ...more }));
  const step = async (ms: number) => {
    for (let at = 0; at < ms; at += 100) await clock.advance(100);
  };

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
