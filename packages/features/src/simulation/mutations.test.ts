import type { KubeRequest } from '@slipway/kube';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Feature } from '../api/feature.js';
import type { Invariants as Watch } from './invariants.js';
import type { ModelCluster as Cluster, ModelOptions } from './model-cluster.js';

/**
 * What keeps a transition true, taken away one by one: each time the invariants must say
 * so. A simulation that cannot see the loss of a safeguard proves nothing about it.
 */

/** No test may use a module that was loaded with what is mocked: here, and in the files that share this process. */
const forget = () => vi.resetModules();
beforeEach(forget);
afterEach(() => {
  vi.doUnmock('../uses/roster.js');
  vi.doUnmock('../references/collection.js');
  forget();
});

/** A cluster whose feature is on, with a server that is loaded anew with what is mocked by then. */
async function usedCluster(
  options: ModelOptions = {},
): Promise<{ readonly cluster: Cluster; readonly invariants: Watch }> {
  const { ModelCluster } = await import('./model-cluster.js');
  const { Invariants } = await import('./invariants.js');
  const cluster = new ModelCluster(options);
  const invariants = new Invariants(cluster);
  cluster.startServer(1);
  await cluster.until(() => cluster.feature('Cleared')?.status?.state !== undefined);
  await cluster.edit('Cleared', { mode: 'Dynamic', desired: 'On', pace: { pageSize: 50 } });
  await cluster.until(() => cluster.feature('Cleared')?.status?.state === 'On');
  return { cluster, invariants };
}

const isOff = (cluster: Cluster) => () => cluster.feature('Cleared')?.status?.state === 'Off';
const rules = ({ broken }: Watch) => [...new Set(broken.map((line) => line.split(' ')[0] ?? ''))];

describe('the version that a status is written against', () => {
  /** A write that was long under way arrives when another server has gone on. */
  async function history(rewrite: (request: KubeRequest) => KubeRequest): Promise<string[]> {
    const { cluster, invariants } = await usedCluster();
    const transport = cluster.startServer(1);
    transport.rewrite = rewrite;
    // The one that says that all processes have agreed.
    const isLast = ({ path, body }: KubeRequest) =>
      path.endsWith('/cleared/status') &&
      JSON.stringify((body as Feature).status?.transition?.completed ?? []).includes('WaitForUses');
    transport.failNext({ kind: 'late', ms: 50_000 }, isLast);
    await cluster.edit('Cleared', { desired: 'Off' });
    await cluster.pass(4_000, 500);
    cluster.killServer(1);
    cluster.startServer(2);
    await cluster.pass(60_000, 500);
    await cluster.stop();
    return rules(invariants);
  }

  test('with it nothing breaks', async () => {
    expect(await history((request) => request)).toEqual([]);
  });

  test('without it what is done is lost again', async () => {
    const blindly = (request: KubeRequest): KubeRequest => {
      const { status } = (request.body ?? {}) as { readonly status?: unknown };
      return request.path.endsWith('/status') ? { ...request, body: { status } } : request;
    };
    expect(await history(blindly)).toContain('I13');
  });
});

describe('the time a guard waits for writes that were let in before it', () => {
  async function history(options: ModelOptions): Promise<string[]> {
    const { cluster, invariants } = await usedCluster(options);
    await cluster.edit('Cleared', { desired: 'Off' });
    // Let in now, stored when the guard has long been there.
    cluster.put(9, 'fancy', 40_000);
    await cluster.until(isOff(cluster));
    await cluster.pass(45_000);
    await cluster.stop();
    return rules(invariants);
  }

  test('with it nothing breaks', async () => {
    expect(await history({})).toEqual([]);
  });

  test('without it a feature is called clean that is not', async () => {
    expect(await history({ settleMs: 0 })).toContain('I7');
  });
});

describe('what is done about a list that has grown too old', () => {
  /** History is forgotten between two pages; the server that goes on has the token of the first. */
  async function history(): Promise<string[]> {
    const { cluster, invariants } = await usedCluster({ widgets: 120 });
    await cluster.edit('Cleared', { desired: 'Off' });
    await cluster.until(() =>
      (cluster.feature('Cleared')?.status?.transition?.tasks[0]?.checkpoint ?? '').includes('next'),
    );
    cluster.killServer(1);
    cluster.api.memory.compact();
    cluster.api.memory.endWatches();
    cluster.startServer(1);
    for (let minutes = 0; minutes < 120 && !isOff(cluster)(); minutes++) await cluster.pass(60_000, 10_000);
    invariants.checkAtRest('Cleared', 'Off');
    await cluster.stop();
    return rules(invariants);
  }

  test('with it nothing breaks', async () => {
    expect(await history()).toEqual([]);
  }, 30_000);

  test('without it the transition never ends', async () => {
    vi.doMock('../references/collection.js', async (original) => ({
      ...(await original<object>()),
      readPage: async (...[kube, resource, limit, token, signal]: Parameters<typeof ReadPage>) => {
        const next = token === undefined ? {} : { continue: token };
        return { ...(await kube.resource(resource).list({ limit, ...next, signal })), restarted: false };
      },
    }));
    expect(await history()).toContain('I9');
  }, 30_000);
});

describe('the roster', () => {
  /** A node is cut off while its process runs the old value, and says nothing. */
  async function history(): Promise<string[]> {
    const { cluster, invariants } = await usedCluster();
    const kubelet = cluster.processes.at(-1);
    if (!kubelet) throw new Error('no process');
    kubelet.isCutOff = true;
    // Until its last report has expired.
    await cluster.pass(1_000_000, 10_000);
    await cluster.edit('Cleared', { desired: 'Off' });
    await cluster.pass(120_000);
    await cluster.stop();
    return rules(invariants);
  }

  test('with it nothing breaks', async () => {
    expect(await history()).toEqual([]);
  });

  test('without it silence is taken for agreement', async () => {
    vi.doMock('../uses/roster.js', async (original) => {
      const real = await original<typeof import('../uses/roster.js')>();
      return { ...real, nodeRoster: () => ({ ...real.selfRoster, others: 'renewed' }) };
    });
    expect(await history()).toContain('I11');
  });
});

type ReadPage = typeof import('../references/collection.js')['readPage'];
declare const ReadPage: ReadPage;
