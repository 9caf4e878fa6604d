import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ModelOptions } from '../testing/model-cluster.js';
import type { WatchedCluster as Cluster } from '../testing/watched-cluster.js';

/**
 * What keeps a balloon harmless, taken away one by one: each time the invariants must say
 * so. A simulation that cannot see the loss of a safeguard proves nothing about it.
 */
const shrink = { mode: 'Size', size: { cpu: '4', memory: '16Gi' } } as const;

/** No test may use a module that was loaded with what is mocked: here, and in the files that share this process. */
const forget = () => vi.resetModules();
beforeEach(forget);
afterEach(() => {
  vi.doUnmock('../ticket/judge-resize.js');
  vi.doUnmock('../pods/patch-balloon.js');
  vi.doUnmock('../nodes/fence.js');
  vi.doUnmock('../priority/priority-modes.js');
  vi.doUnmock('../settings/policy-settings.js');
  forget();
});

/** A cluster whose controllers are loaded anew, with what is mocked by then. */
async function start(options: ModelOptions = {}): Promise<Cluster> {
  const { WatchedCluster } = await import('../testing/watched-cluster.js');
  const cluster = new WatchedCluster(options);
  await cluster.until(() => cluster.balloon('n1')?.status?.phase === 'Running');
  await cluster.pass(1_000);
  return cluster;
}

/** Stops a cluster, and returns the invariants that were broken in it. */
async function brokenIn(cluster: Cluster): Promise<string[]> {
  await cluster.stop();
  const { broken } = cluster.invariants;
  return [...new Set(broken.map((line) => line.split(' ')[0] ?? ''))];
}

describe('rollback', () => {
  /** The kubelet is away while a balloon is to grow, and comes back long after the ticket was closed. */
  async function history(): Promise<string[]> {
    const cluster = await start({ policy: { fence: { mode: 'Never' } } });
    const kubelet = cluster.kubelets.get('n1');
    if (!kubelet) throw new Error('no kubelet');
    kubelet.isStopped = true;
    await cluster.ask('n1', shrink);
    await cluster.pass(11_000);
    await cluster.editNode('n1', (draft) => {
      draft.spec = { ...draft.spec, unschedulable: true };
    });
    await cluster.pass(1_000);
    kubelet.isStopped = false;
    await cluster.pass(2_000);
    return await brokenIn(cluster);
  }

  test('with it nothing breaks', async () => {
    expect(await history()).toEqual([]);
  });

  test('without it the kubelet acts later, when the resize is no longer requested', async () => {
    vi.doMock('../ticket/judge-resize.js', async (original) => ({
      ...(await original<object>()),
      rollbackStep: () => ({ kind: 'rolled-back' }),
    }));
    vi.doMock('../resize/decide-action.js', async (original) => {
      const real = await original<typeof import('../resize/decide-action.js')>();
      return { ...real, decideAction: (observation: never) => withoutRollback(real.decideAction(observation)) };
    });
    expect(await history()).toContain('I3');
    vi.doUnmock('../resize/decide-action.js');
  });

  function withoutRollback<T extends { readonly kind: string }>(action: T): T | { readonly kind: 'report' } {
    return action.kind === 'roll-back' ? { kind: 'report' } : action;
  }
});

describe('the uid in each patch', () => {
  /** Between the last look and the patch the pod becomes another one of the same name. */
  async function history(): Promise<string[]> {
    const cluster = await start({ policy: { fence: { mode: 'Never' } } });
    cluster.transport.beforeWrite = (request) => {
      if (!request.path.includes('/resize')) return;
      cluster.transport.beforeWrite = undefined;
      cluster.replaceBalloon('n1');
      // The kubelet is quick, too.
      cluster.transport.afterWrite = () => cluster.kubelets.get('n1')?.sync();
    };
    await cluster.ask('n1', shrink);
    await cluster.pass(2_000);
    return await brokenIn(cluster);
  }

  test('with it nothing breaks', async () => {
    expect(await history()).toEqual([]);
  });

  test('without it another pod grows without a decision', async () => {
    vi.doMock('../pods/patch-balloon.js', async (original) => {
      const real = await original<typeof import('../pods/patch-balloon.js')>();
      const { Pod } = await import('../pods/pod.js');
      const { formatAmounts } = await import('../planner/amounts.js');
      const patchPodSize: typeof real.patchPodSize = (kube, { metadata: { name = '', namespace } }, to, signal) =>
        kube
          .resource(Pod)
          .json(
            { name, namespace },
            [{ op: 'replace', path: '/spec/containers/0/resources/requests', value: formatAmounts(to) }],
            { subresource: 'resize', signal },
          );
      return { ...real, patchPodSize };
    });
    expect(await history()).toContain('I3');
  });
});

describe('the fence', () => {
  /** A scheduler that knows late binds a pod where the balloon is about to grow. */
  async function history(): Promise<string[]> {
    const cluster = await start({ schedulerLagMs: 400, policy: { fence: { mode: 'Always' } } });
    await cluster.ask('n1', shrink);
    await cluster.pass(450);
    for (let at = 0; at < 8; at++) {
      await cluster.pass(50);
      cluster.addWorkload(`late-${at}`, { cpu: '2', memory: '1Gi' });
    }
    await cluster.pass(5_000);
    return await brokenIn(cluster);
  }

  test('with it nothing breaks', async () => {
    expect(await history()).toEqual([]);
  });

  test('without it a pod is rejected by its node', async () => {
    vi.doMock('../nodes/fence.js', async (original) => ({
      ...(await original<object>()),
      raiseFence: async () => {},
    }));
    expect(await history()).toContain('I2');
  });
});

describe('the priority guard', () => {
  /** A balloon of a critical class on a kubelet that evicts for critical pods that grow; the plan knows less than the kubelet. */
  async function history(): Promise<string[]> {
    const options = {
      isNative: false,
      schedulerLagMs: 400,
      policy: { priorityMode: 'Protected', fence: { mode: 'Never' } },
    } as const;
    const cluster = await start(options);
    await cluster.ask('n1', shrink);
    for (let at = 0; at < 12; at++) {
      await cluster.pass(50);
      cluster.addWorkload(`busy-${at}`, { cpu: '1', memory: '4Gi' });
    }
    await cluster.pass(2_000);
    await cluster.ask('n1', { ...shrink, fit: 'BestEffort' });
    cluster.addWorkload('last', { cpu: '1', memory: '4Gi' });
    await cluster.pass(5_000);
    return await brokenIn(cluster);
  }

  test('with it nothing breaks', async () => {
    expect(await history()).toEqual([]);
  });

  test('without it a workload ends', async () => {
    vi.doMock('../priority/priority-modes.js', async (original) => ({
      ...(await original<object>()),
      whyUnsafe: () => undefined,
    }));
    expect(await history()).toContain('I2');
  });
});

describe('the pause image', () => {
  /** A workload uses far more memory than it requests, on a node that is large enough for it. */
  async function history(): Promise<string[]> {
    const cluster = await start();
    cluster.addWorkload('greedy', { cpu: '1', memory: '1Gi' });
    await cluster.pass(1_000);
    const pod = cluster.pod('greedy');
    if (pod) cluster.kubelets.get('n1')?.memory.setUse(pod, 60n * 1024n ** 3n);
    await cluster.ask('n1', shrink);
    await cluster.pass(5_000);
    return await brokenIn(cluster);
  }

  test('with it nothing breaks', async () => {
    expect(await history()).toEqual([]);
  });

  test('without it a workload is evicted for what the balloon uses', async () => {
    vi.doMock('../settings/policy-settings.js', async (original) => {
      const real = await original<typeof import('../settings/policy-settings.js')>();
      const readPolicy: typeof real.readPolicy = (policy) => {
        const settings = real.readPolicy(policy);
        return { ...settings, pod: { ...settings.pod, image: 'example.com/busy:1' } };
      };
      return { ...real, readPolicy };
    });
    expect(await history()).toContain('I14');
  });
});
