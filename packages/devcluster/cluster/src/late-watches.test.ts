import { ManualClock } from '@slipway/kube/testing';
import { pods } from '@slipway/kube-objects/kinds/api/pods';
import { aPod } from '@slipway/kube-objects/testing/objects';
import { expect, test } from 'vitest';
import { lateWatches } from './late-watches.js';
import { aStartedCluster } from './testing/started-cluster.js';

test('a scheduler that hears late schedules late, and everything in its order', async () => {
  const clock = new ManualClock();
  let lateMs = 0;
  const cluster = await aStartedCluster({
    nodes: 1,
    clock,

    watchDelays: { 'kube-scheduler': () => lateMs },
  });
  const ready = cluster.ready();
  await cluster.advance(5_000);
  await ready;
  lateMs = 3_000;
  const client = cluster.kube().resource(pods);
  const { metadata, ...rest } = aPod('p');
  await client.create({ ...rest, metadata: { name: 'p', namespace: 'default', labels: metadata.labels ?? {} } });
  await cluster.advance(2_500);
  expect((await client.get({ name: 'p', namespace: 'default' })).spec.nodeName).toBeUndefined();
  await cluster.advance(1_000);
  expect((await client.get({ name: 'p', namespace: 'default' })).spec.nodeName).toBe('n1');
}, 30_000);

test('lateWatches() ends as the watch ends, after all that came before', async () => {
  const clock = new ManualClock();
  const frame = { type: 'BOOKMARK', object: { apiVersion: 'v1', kind: 'Pod', metadata: {} } } as const;
  async function* breaking() {
    yield frame;
    throw new Error('the connection broke');
  }
  const transport = { request: () => Promise.reject(new Error('no')), stream: breaking };
  const seen: string[] = [];
  const watching = (async () => {
    const stream = lateWatches(transport, () => 1_000, clock).stream(
      { method: 'GET', path: '/' },
      new AbortController().signal,
    );
    for await (const { type } of stream) seen.push(type);
  })().catch((error: Error) => void seen.push(error.message));
  await clock.advance(999);
  expect(seen).toEqual([]);
  await clock.advance(1);
  await watching;
  expect(seen).toEqual(['BOOKMARK', 'the connection broke']);
});
