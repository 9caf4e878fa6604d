import { BalloonPolicy, NodeSize } from '@slipway/balloons';
import { type Cluster, scaledClock, startCluster } from '@slipway/devcluster';
import { demandLifecycle, Feature, nodeBalloons, previewChange, requestChange } from '@slipway/features';
import { apiVersionOf, type Kube, silentLog } from '@slipway/kube';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startBalloons } from './balloons.js';
import { startFeatures } from './features.js';

// Our own gate NodeBalloons on a cluster as `slipway up` has it.

/** What the features wait for, they wait for in the time of the cluster. */
const timesAsFast = 5;
const stopping = new AbortController();
const name = 'nodeballoons';
let cluster: Cluster;
let kube: Kube;
beforeAll(async () => {
  cluster = await startCluster({ nodes: 1, log: silentLog, clock: scaledClock(timesAsFast) });
  kube = cluster.kube();
  await Promise.all([startFeatures(cluster, stopping.signal), startBalloons(undefined)(cluster, stopping.signal)]);
  await cluster.ready();
}, 60_000);
afterAll(async () => {
  stopping.abort();
  await cluster.stop();
});

test('it does not exist before balloons are requested, and is on as soon as they are', async () => {
  expect(await kube.resource(Feature).find({ name, namespace: 'kube-system' })).toBeUndefined();
  await makePolicy();
  await until(async () => (await feature()).status?.state === 'On');
}, 60_000);

test('it is not turned off while a policy exists, and without it no policy can be created', async () => {
  await turn('Off');
  await until(async () => JSON.stringify((await feature()).status?.transition).includes('balloonpolicies use it: all'));
  expect((await kube.resource(NodeSize).find({ name: 'n1' }))?.status?.balloon).toBeDefined();
  await kube.resource(BalloonPolicy).delete({ name: 'all' });
  await until(async () => (await feature()).status?.state === 'Off');
  await expect(makePolicy()).rejects.toThrow('NodeBalloons');
  await turn('On');
  await until(async () => (await feature()).status?.state === 'On');
}, 90_000);

test('it comes through its whole life', async () => {
  const { object } = nodeBalloons({ dynamic: 'Live' });
  await demandLifecycle({ kube, definition: object, withinMs: 40_000 * timesAsFast });
}, 120_000);

async function makePolicy(): Promise<void> {
  const kind = { apiVersion: apiVersionOf(BalloonPolicy), kind: BalloonPolicy.kind };
  await kube.resource(BalloonPolicy).create({ ...kind, metadata: { name: 'all' }, spec: {} });
}

async function turn(to: 'On' | 'Off'): Promise<void> {
  await requestChange(kube, await previewChange(kube, await feature(), to), { consent: true });
}

function feature(): Promise<Feature> {
  return kube.resource(Feature).get({ name, namespace: 'kube-system' });
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  await vi.waitFor(async () => expect(await isSo(), String(isSo)).toBe(true), 40_000);
}
