import type { KubeRequest } from '@slipway/kube';
import { expect, test } from 'vitest';
import { Invariants } from './invariants.js';
import { fieldOf, type Gate, ModelCluster } from './model-cluster.js';

/** A cluster whose gate is on and used by four widgets. */
async function usedCluster(gate: Gate): Promise<{ readonly cluster: ModelCluster; readonly invariants: Invariants }> {
  const cluster = new ModelCluster({ widgets: 0 });
  const invariants = new Invariants(cluster);
  cluster.startServer(1);
  await cluster.until(() => cluster.feature(gate)?.status?.state !== undefined);
  await cluster.edit(gate, { mode: 'Dynamic', desired: 'On', pace: { pageSize: 50, inFlight: 1 } });
  await cluster.until(() => cluster.feature(gate)?.status?.state === 'On');
  for (let index = 0; index < 4; index++) cluster.put(index, fieldOf[gate]);
  return { cluster, invariants };
}

/** The process is gone right after its k-th request has left it: what it asked for is done, and it does not hear of it. */
function dieAfter(cluster: ModelCluster, k: number): () => boolean {
  const transport = cluster.startServer(1);
  let count = 0;
  transport.rewrite = (request: KubeRequest) => {
    // The lease is renewed by a timer of its own; where it falls would only shuffle the cases.
    if (!request.path.includes('/leases') && ++count === k) transport.die();
    return request;
  };
  return () => count >= k;
}

/** Every request where SLIPWAY_SIMULATION_RUNS asks for more than the usual test, else every sixth. */
const stride = process.env.SLIPWAY_SIMULATION_RUNS === undefined ? 6 : 1;

/** An older version: it stands by as long as the newer one lives. */
const stands = '0.0.9';

const isOff = (cluster: ModelCluster, gate: Gate) => () => cluster.feature(gate)?.status?.state === 'Off';

test('E1: whatever request a leader dies after, another server clears what is left, and nothing twice', async () => {
  let deaths = 0;
  for (let k = 1; ; k += stride) {
    const { cluster, invariants } = await usedCluster('Cleared');
    const patched: string[] = [];
    cluster.api.onWrite(({ method, path }) => {
      if (method === 'PATCH' && path.includes('/widgets/')) patched.push(path.replace(/\?.*/, ''));
    });
    cluster.startServer(2, stands);
    const isDead = dieAfter(cluster, k);
    await cluster.edit('Cleared', { desired: 'Off' });
    await cluster.until(isOff(cluster, 'Cleared'));
    expect(invariants.broken, `dead after request ${k}`).toEqual([]);
    expect(cluster.users('Cleared')).toBe(0);
    expect(patched.length, `dead after request ${k}: ${patched}`).toBe(4);
    await cluster.stop();
    if (!isDead()) break;
    deaths++;
  }
  expect(deaths).toBeGreaterThan(20 / stride);
}, 600_000);

test('E4: whatever request a leader dies after, volumes hold the feature, and only their owner removes them', async () => {
  let deaths = 0;
  for (let k = 1; ; k += stride) {
    const { cluster, invariants } = await usedCluster('Held');
    const isDead = dieAfter(cluster, k);
    cluster.startServer(2, stands);
    const published = () => cluster.feature('Held')?.status?.published?.value;
    const isHeld = () => cluster.feature('Held')?.status?.transition?.tasks[0]?.reason === 'ObjectsRemain';
    await cluster.edit('Held', { desired: 'Off' });
    await cluster.until(isHeld);
    await cluster.pass(20_000);
    expect([cluster.users('Held'), published()], `dead after request ${k}`).toEqual([4, true]);
    for (let index = 0; index < 4; index++) await cluster.remove(index);
    await cluster.until(isOff(cluster, 'Held'), 1_200_000);
    expect(invariants.broken, `dead after request ${k}`).toEqual([]);
    expect(published()).toBe(false);
    await cluster.stop();
    if (!isDead()) break;
    deaths++;
  }
  expect(deaths).toBeGreaterThan(20 / stride);
}, 600_000);
