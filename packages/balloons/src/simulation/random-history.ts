import fc from 'fast-check';
import type { BalloonPolicySpec } from '../api/balloon-policy.js';
import type { NodeSizeSpec } from '../api/node-size.js';
import { formatAmounts, parseAmounts } from '../planner/amounts.js';
import type { Fault } from '../testing/faulty-transport.js';
import type { ModelOptions } from '../testing/model-cluster.js';
import { WatchedCluster } from '../testing/watched-cluster.js';
import { nodeOf } from '../world/balloon-world.js';

/** One thing that happens to a cluster; `ms` pass after it. */
export interface Happening {
  readonly ms: number;
  readonly what:
    | { readonly kind: 'ask'; readonly node: string; readonly spec: NodeSizeSpec }
    | { readonly kind: 'pod'; readonly cpu: number; readonly gib: number }
    | { readonly kind: 'pod-goes' }
    | { readonly kind: 'pod-grows'; readonly cpu: number }
    | { readonly kind: 'pod-uses'; readonly gib: number }
    | { readonly kind: 'kubelet'; readonly node: string; readonly stops: boolean }
    | { readonly kind: 'fault'; readonly fault: Fault }
    | { readonly kind: 'leader'; readonly dies: boolean }
    | { readonly kind: 'balloon-goes'; readonly node: string }
    | { readonly kind: 'foreign'; readonly node: string; readonly cpu: number }
    | { readonly kind: 'cordon'; readonly node: string; readonly on: boolean }
    | { readonly kind: 'hot-add'; readonly node: string; readonly cpu: number }
    | { readonly kind: 'policy'; readonly spec: BalloonPolicySpec }
    | { readonly kind: 'partition'; readonly weight: number }
    | { readonly kind: 'watches-end' };
}

/** What a user writes into the policy; always behind a fence, since here schedulers know late. */
const fenced: BalloonPolicySpec = { fence: { mode: 'Always' } };
const policies: readonly BalloonPolicySpec[] = [
  { enabled: false },
  { autosize: { mode: 'Enforce', stabilizationSeconds: 1 } },
  { autosize: { mode: 'Recommend', stabilizationSeconds: 1 } },
  { criticalReserve: { cpu: '1', memory: '1Gi' } },
  { min: { cpu: '2' }, max: { cpu: '12' } },
  {},
];

const gibibyte = 1024n ** 3n;
const node = fc.constantFrom('n1', 'n2');
const cores = fc.integer({ min: 0, max: 16 });

const specs: fc.Arbitrary<NodeSizeSpec> = fc
  .record({ cpu: cores, gib: fc.integer({ min: 0, max: 64 }) })
  .chain(({ cpu, gib }) => {
    const amounts = { cpu: String(cpu), memory: `${gib}Gi` };
    return fc.constantFrom<NodeSizeSpec>(
      { mode: 'Size', size: amounts },
      { mode: 'Size', size: amounts, fit: 'BestEffort' },
      { mode: 'Balloon', balloon: amounts },
      { mode: 'Fraction', fraction: `1/${Math.max(1, cpu)}` },
      { mode: 'Full' },
      { mode: 'External' },
    );
  });

const faults: fc.Arbitrary<Fault> = fc.oneof(
  fc.constantFrom(403, 409, 422, 429, 500).map((status) => ({ kind: 'refused', status }) as const),
  fc.constant({ kind: 'lost-answer' } as const),
  fc.integer({ min: 1, max: 9_000 }).map((ms) => ({ kind: 'late', ms }) as const),
);

const whats: fc.Arbitrary<Happening['what']> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('ask' as const), node, spec: specs }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('pod' as const),
      cpu: fc.integer({ min: 1, max: 6 }),
      gib: fc.integer({ min: 1, max: 24 }),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: 'pod-goes' as const }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('pod-grows' as const), cpu: cores }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('pod-uses' as const), gib: fc.integer({ min: 0, max: 64 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('kubelet' as const), node, stops: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('fault' as const), fault: faults }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('leader' as const), dies: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('balloon-goes' as const), node }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('foreign' as const), node, cpu: cores }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cordon' as const), node, on: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('hot-add' as const), node, cpu: fc.integer({ min: 17, max: 32 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('policy' as const), spec: fc.constantFrom(...policies) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('partition' as const), weight: fc.integer({ min: 0, max: 3 }) }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'watches-end' as const }) },
);

/** Any history of up to `most` happenings. */
export function histories(most: number): fc.Arbitrary<readonly Happening[]> {
  const pauses = fc.oneof(fc.constantFrom(0, 50, 100, 500), fc.integer({ min: 0, max: 12_000 }));
  return fc.array(fc.record({ ms: pauses, what: whats }), { minLength: 1, maxLength: most });
}

/** A cluster of each priority mode; in mode Protected one on which balloons may grow, and one on which they must not. */
export const clusters = {
  Native: { isNative: true, policy: {} },
  Polite: { isNative: false, policy: { priorityMode: 'Polite' } },
  'Protected, 1.34': { isNative: false, policy: { priorityMode: 'Protected' } },
  'Protected, 1.37': { isNative: false, policy: { priorityMode: 'Protected' }, kubeletVersion: 'v1.37.0' },
} as const satisfies Readonly<Record<string, ModelOptions>>;

/** Runs a history in a cluster of two nodes whose scheduler knows late, and says what it broke. */
export async function brokenBy(
  history: readonly Happening[],
  schedulerLagMs: number,
  options: ModelOptions,
): Promise<readonly string[]> {
  const policy = { ...options.policy, ...fenced };
  const cluster = new WatchedCluster({ nodes: 2, schedulerLagMs, ...options, policy });
  await cluster.pass(1_000);
  for (const { what, ms } of history) {
    if (what.kind === 'policy') await cluster.setPolicy({ ...policy, ...what.spec });
    else await happen(cluster, what);
    await cluster.pass(ms);
  }
  await cluster.setPolicy(policy);
  await comeToRest(cluster);
  await cluster.stop();
  return cluster.invariants.broken;
}

type OfCluster = Exclude<Happening['what'], { readonly kind: 'policy' }>;

async function happen(cluster: WatchedCluster, what: OfCluster): Promise<void> {
  const workloads = cluster.pods().filter(({ metadata }) => metadata.namespace === 'default');
  const [first] = workloads;
  switch (what.kind) {
    case 'ask':
      return cluster.ask(what.node, what.spec);
    case 'pod':
      cluster.addWorkload(cluster.newUID(), { cpu: String(what.cpu), memory: `${what.gib}Gi` });
      return;
    case 'pod-goes':
      if (first) await cluster.deletePod(first);
      return;
    case 'pod-grows':
      if (first?.status?.phase === 'Running') await cluster.resizePod(first, { cpu: String(what.cpu), memory: '1Gi' });
      return;
    case 'pod-uses':
      if (first) cluster.kubelets.get(nodeOf(first))?.memory.setUse(first, BigInt(what.gib) * gibibyte);
      return;
    case 'kubelet': {
      const kubelet = cluster.kubelets.get(what.node);
      if (kubelet) kubelet.isStopped = what.stops;
      return;
    }
    case 'fault':
      cluster.transport.failNext(what.fault);
      return;
    case 'leader':
      if (what.dies) cluster.killLeader();
      else cluster.startLeader();
      return;
    case 'balloon-goes': {
      const balloon = cluster.balloon(what.node);
      if (balloon) await cluster.deletePod(balloon);
      return;
    }
    case 'foreign': {
      const balloon = cluster.balloon(what.node);
      if (balloon) cluster.invariants.foreign(balloon);
      if (balloon) await cluster.resizePod(balloon, { cpu: String(what.cpu), memory: '8Mi' });
      return;
    }
    case 'cordon':
      return cluster.editNode(what.node, (draft) => {
        draft.spec = { ...draft.spec, unschedulable: what.on };
      });
    case 'hot-add':
      cluster.setAllocatable(what.node, formatAmounts(parseAmounts({ cpu: what.cpu, memory: '64Gi' })));
      return;
    case 'partition': {
      const members = [{ node: 'n1', weight: what.weight }, { node: 'n2' }];
      return cluster.partition(what.weight === 0 ? undefined : { host: 'lab', members });
    }
    case 'watches-end':
      cluster.api.endWatches();
  }
}

/** Everything works again, and after a while writes stop (I5). */
async function comeToRest(cluster: WatchedCluster): Promise<void> {
  cluster.startLeader();
  await cluster.partition(undefined);
  cluster.transport.healed();
  for (const kubelet of cluster.kubelets.values()) kubelet.isStopped = false;
  for (const name of cluster.kubelets.keys()) {
    await cluster.editNode(name, (draft) => {
      draft.spec = { ...draft.spec, unschedulable: false };
    });
    await cluster.ask(name, { mode: 'Full' });
  }
  await cluster.pass(60_000, 500);
  const before = cluster.transport.writes.length;
  await cluster.pass(60_000, 1_000);
  cluster.invariants.checkAtRest(cluster.transport.writes.length - before);
}
