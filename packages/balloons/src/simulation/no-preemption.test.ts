import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import type { BalloonPolicySpec } from '../api/balloon-policy.js';
import { keys } from '../api/group.js';
import { Invariants } from '../testing/invariants.js';
import { ModelCluster } from '../testing/model-cluster.js';
import { PreemptingScheduler } from '../testing/preempting-scheduler.js';

const follows: BalloonPolicySpec = {
  default: { mode: 'Size', size: { cpu: '250m', memory: '512Mi' } },
  autosize: { mode: 'Enforce', stabilizationSeconds: 1 },
};
const hostname = 'kubernetes.io/hostname';

/** A cluster whose nodes have the size of their headroom. */
async function start(nodes: number, policy: BalloonPolicySpec = follows) {
  let scheduler: PreemptingScheduler | undefined;
  const cluster = new ModelCluster({
    nodes,
    policy,
    scheduler: (own) => {
      scheduler = new PreemptingScheduler(own);
      return scheduler;
    },
  });
  const invariants = new Invariants(cluster);
  for (const name of cluster.kubelets.keys()) {
    await cluster.editNode(name, (draft) => {
      const pool = name === 'n1' ? 'a' : 'b';
      draft.metadata.labels = { ...draft.metadata.labels, [hostname]: name, pool };
    });
  }
  const cpuOf = (node: string) => cluster.size(node)?.status?.size?.cpu;
  await cluster.until(() => [...cluster.kubelets.keys()].every((node) => cpuOf(node) === '250m'));
  return { cluster, invariants, scheduler: scheduler as PreemptingScheduler, cpuOf };
}

let started: Awaited<ReturnType<typeof start>> | undefined;
afterEach(async () => {
  await started?.cluster.stop();
  expect(started?.invariants.broken ?? []).toEqual([]);
  started = undefined;
});

const placed = (name: string) => started?.cluster.pod(name)?.spec?.nodeName;
const request = (cpu: number) => ({ cpu: String(cpu), memory: '1Gi' });

describe('a pod that is more important than others, and larger than the headroom,', () => {
  test('takes the place of the balloon', async () => {
    started = await start(1);
    const { cluster, scheduler, cpuOf } = started;
    cluster.addWorkload('batch', request(1));
    await cluster.until(() => placed('batch') === 'n1');
    cluster.addWorkload('first', request(6), { priority: 10 });
    await cluster.until(() => placed('first') === 'n1');
    await cluster.until(() => cpuOf('n1') === '8050m', 60_000);
    expect([placed('batch'), scheduler.preempted]).toEqual(['n1', []]);
  });

  test('preempts where the priority mode was chosen: the size is a limit then', async () => {
    started = await start(1, { ...follows, priorityMode: 'Native' });
    const { cluster, scheduler } = started;
    cluster.addWorkload('batch', request(1));
    await cluster.until(() => placed('batch') === 'n1');
    cluster.addWorkload('first', request(1.2), { priority: 10 });
    await cluster.until(() => scheduler.preempted.length > 0);
    expect(scheduler.caused).toEqual(['first preempted batch: it fits on all of n1']);
  });
});

test('many pods that are created at once are placed, and no other loses its place', async () => {
  started = await start(2);
  const { cluster, scheduler } = started;
  cluster.addWorkload('batch', request(1));
  await cluster.until(() => placed('batch') !== undefined);
  const names = Array.from({ length: 12 }, (_, index) => `web-${index}`);
  for (const name of names) cluster.addWorkload(name, request(2), { priority: 10 });
  await cluster.until(() => names.every((name) => placed(name) !== undefined));
  expect(scheduler.preempted).toEqual([]);
});

test.each<[string, (cluster: ModelCluster) => Promise<void>]>([
  ['is opted out', (cluster) => setLabel(cluster, keys.autosize, 'off')],
  ['has another owner', async (cluster) => await claim(cluster)],
  ['is no longer autosized', (cluster) => cluster.setPolicy({})],
  ['must not exceed a maximum', (cluster) => cluster.setPolicy({ ...follows, max: { cpu: '8' } })],
])('the size of a node is a limit again once it %s', async (_, change) => {
  started = await start(1);
  const { cluster } = started;
  const classOf = () => cluster.balloon('n1')?.spec?.priorityClassName;
  expect(classOf()).toBe('slipway-yielding-balloon');
  await change(cluster);
  await cluster.until(() => classOf() === 'system-balloon' && cluster.balloon('n1')?.status?.phase === 'Running');
  await cluster.until(() => cluster.size('n1')?.status?.size?.cpu === '250m', 60_000);
});

async function setLabel(cluster: ModelCluster, key: string, value: string): Promise<void> {
  await cluster.editNode('n1', (draft) => {
    draft.metadata.labels = { ...draft.metadata.labels, [key]: value };
  });
}

async function claim(cluster: ModelCluster): Promise<void> {
  const size = cluster.size('n1');
  if (size) await cluster.ask('n1', { ...size.spec, paused: true });
}

/** One pod that is created, or the deletion of one; `ms` pass after it. */
const events = fc.array(
  fc.record({
    ms: fc.oneof(fc.constantFrom(0, 0, 50, 500), fc.integer({ min: 0, max: 15_000 })),
    deletes: fc.integer({ min: 0, max: 9 }).map((each) => (each < 3 ? each : undefined)),
    cpu: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 21, max: 150 })).map((tenths) => tenths / 10),
    priority: fc.constantFrom(-100, 0, 10, 1_000_000),
    never: fc.integer({ min: 0, max: 5 }).map((each) => each === 0),
    app: fc.constantFrom('x', 'y', 'z'),
    kind: fc.constantFrom('plain', 'plain', 'pool', 'pinned', 'apart'),
  }),
  { minLength: 1, maxLength: 14 },
);

function specOf({ kind, app, priority, never }: { kind: string; app: string; priority: number; never: boolean }) {
  const apart = [{ topologyKey: hostname, labelSelector: { matchLabels: { app } } }];
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: ['n2'] }];
  return {
    priority,
    ...(never && { preemptionPolicy: 'Never' }),
    ...(kind === 'pool' && { nodeSelector: { pool: 'b' } }),
    // As the pods of a DaemonSet have it.
    ...(kind === 'pinned' && {
      affinity: {
        nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] } },
      },
    }),
    ...(kind === 'apart' && {
      affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: apart } },
    }),
  };
}

test('any story: autosizing causes no preemption that nodes of full size would not have seen', async () => {
  await fc.assert(
    fc.asyncProperty(events, async (all) => {
      const { cluster, invariants, scheduler } = await start(3);
      try {
        for (const [index, { ms, deletes, cpu, app, ...event }] of all.entries()) {
          const victim = deletes === undefined ? undefined : workloads(cluster)[deletes];
          if (victim) await cluster.deletePod(victim);
          else {
            cluster.addWorkload(`p${index}`, request(cpu), specOf({ app, ...event }));
            const pod = cluster.pod(`p${index}`);
            if (pod)
              cluster.put({ group: '', plural: 'pods' }, { ...pod, metadata: { ...pod.metadata, labels: { app } } });
          }
          await cluster.pass(ms, 100);
        }
        await cluster.pass(30_000, 100);
        expect([...scheduler.caused, ...invariants.broken]).toEqual([]);
        expect(cluster.balloons().filter(({ status }) => status?.phase === 'Running')).toHaveLength(3);
      } finally {
        await cluster.stop();
      }
    }),
    { numRuns: 10 },
  );
}, 120_000);

function workloads(cluster: ModelCluster) {
  return cluster.pods().filter(({ metadata }) => metadata.namespace === 'default');
}
