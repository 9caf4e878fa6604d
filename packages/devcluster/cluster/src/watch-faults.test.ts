import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InformerFactory, Kube, type KubeObject, keyOf, silentLog } from '@slipway/kube';
import { ManualClock } from '@slipway/kube/testing';
import { configMaps } from '@slipway/kube-objects/kinds/api/core';
import { expect, test, vi } from 'vitest';
import { startCluster } from './start-cluster.js';
import { FlakyProxy } from './testing/flaky-proxy.js';

// Clusters start and stop in here, beside all other tests of the machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const rounds = 60;

/** A cluster, and an informer that reaches it through a network that can be disturbed. */
async function behindProxy() {
  const cluster = await startCluster({ nodes: 0, log: silentLog });
  const proxy = new FlakyProxy(Number(new URL(cluster.url).port));
  const clock = new ManualClock();
  const kube = await connectedThrough(await proxy.listen(), cluster.kubeconfig, clock);
  const factory = new InformerFactory(kube, { log: silentLog, random: () => 0.5 });
  return { cluster, proxy, clock, factory, informer: factory.informer(configMaps, { namespace: 'default' }) };
}

test('an informer behind a network that resets, stalls and goes silent ends up with what is stored', async () => {
  const { cluster, proxy, clock, factory, informer } = await behindProxy();
  const handled = new Map<string, KubeObject>();
  informer.onChange(({ type, object }) => {
    if (type === 'deleted') handled.delete(keyOf(object));
    else handled.set(keyOf(object), object);
  });
  factory.start();
  await informer.whenSynced();

  const client = cluster.kube().resource(configMaps);
  let recover = () => {};
  for (let round = 0; round < rounds; round += 1) {
    await writeSomething(client, round);
    if (round % 7 === 1) proxy.reset();
    if (round % 11 === 3) proxy.halfOpen();
    if (round % 13 === 5) recover = proxy.stall();
    if (round % 13 === 8) recover();
    await turns(3);
    await clock.advance(500);
  }
  recover();

  const stored = async () => revisions((await client.list({ namespace: 'default' })).items);
  const wanted = await stored();
  // A connection that went silent is given up half a minute after its time limit of some minutes.
  for (let waited = 0; waited < 2_000 && !sameAs(wanted, informer.lister.list()); waited += 1) {
    await turns(2);
    await clock.advance(1_000);
  }
  expect(revisions(informer.lister.list())).toEqual(wanted);
  expect(revisions([...handled.values()])).toEqual(wanted);
  await factory.stop();
  await proxy.close();
  await cluster.stop();
});

test('an informer whose connections end in the middle of anything misses nothing and takes no half of an object', async () => {
  const { cluster, proxy, clock, factory, informer } = await behindProxy();
  const client = cluster.kube().resource(configMaps);
  const seen: string[] = [];
  informer.onChange(({ object: { data } }) => {
    if (data?.round) seen.push(data.round);
  });
  factory.start();
  await informer.whenSynced();

  const ref = { name: 'growing', namespace: 'default' };
  const text = 'x'.repeat(50_000);
  await client.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: ref, data: { round: '0', text } });
  const cuts = 20;
  for (let round = 1; round <= cuts; round += 1) {
    // Behind the handshake and the head of the answer: anywhere within the next events, of three records each.
    proxy.cutNextAfter(4_000 + round * 7_777);
    proxy.reset();
    await client.merge(ref, { data: { round: String(round) } });
    for (let waited = 0; waited < 400 && seen.at(-1) !== String(round); waited += 1) {
      await turns(2);
      await clock.advance(500);
    }
    expect(seen.at(-1)).toBe(String(round));
    expect(informer.lister.get(ref)?.data?.text).toBe(text);
  }
  // One object that changes: what is seen of it is never older than what was seen before.
  expect(seen).toEqual([...seen].sort((one, other) => Number(one) - Number(other)));
  await factory.stop();
  await proxy.close();
  await cluster.stop();
});

async function connectedThrough(port: number, kubeconfig: string, clock: ManualClock): Promise<Kube> {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-faults-'));
  try {
    const path = join(folder, 'kubeconfig');
    writeFileSync(path, kubeconfig.replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${port}`));
    return await Kube.connect({ kubeconfig: path, clock });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function writeSomething(client: ReturnType<Kube['resource']>, round: number): Promise<void> {
  const ref = { name: `c${round % 7}`, namespace: 'default' };
  const present = await client.find(ref);
  if (present && round % 3 === 0) await client.delete(ref);
  else if (present) await client.merge(ref, { data: { round: String(round) } });
  else await client.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: ref, data: { round: String(round) } });
}

function revisions(objects: readonly KubeObject[]): Record<string, string | undefined> {
  return Object.fromEntries(objects.map((object) => [keyOf(object), object.metadata.resourceVersion]).sort());
}

function sameAs(wanted: Record<string, string | undefined>, objects: readonly KubeObject[]): boolean {
  return JSON.stringify(revisions(objects)) === JSON.stringify(wanted);
}

/** Lets the sockets of this process do what is ready. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count * 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
