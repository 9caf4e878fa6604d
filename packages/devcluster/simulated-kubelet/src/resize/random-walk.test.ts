import { aCluster } from '@slipway/devcluster/testing/a-cluster';
import { isStatus } from '@slipway/kube';
import { ManualClock } from '@slipway/kube/testing';
import { type Pod, podCondition, pods } from '@slipway/kube-objects/kinds/api/pods';
import { amountsOfList } from '@slipway/kube-objects/rules/amounts';
import { type ProfileName, versionProfiles } from '@slipway/kube-objects/rules/version-profile';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { amountsAsked, withAllocation } from '../allocation/allocation.js';
import { aPodAsking, firstOf, resizing } from '../testing/resizing.js';

/** Stories for each version; CI plays more. */
const numRuns = Number(process.env.SLIPWAY_SIMULATION_RUNS ?? 5);

/** One thing that happens on a node of 4 cpus, or to a pod of it. */
type Happens =
  | { readonly kind: 'create'; readonly pod: number; readonly milliCpu: number; readonly isCritical: boolean }
  | { readonly kind: 'resize'; readonly pod: number; readonly milliCpu: number }
  | { readonly kind: 'delete' | 'restart'; readonly pod: number }
  | { readonly kind: 'capacity'; readonly cpus: number }
  | { readonly kind: 'passes'; readonly seconds: number };

const pod = fc.nat({ max: 3 });
const milliCpu = fc.constantFrom(0, 500, 1_000, 1_500, 2_500, 3_500, 4_500);
const happens: fc.Arbitrary<Happens> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('create' as const), pod, milliCpu, isCritical: fc.boolean() }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('resize' as const), pod, milliCpu }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('delete' as const, 'restart' as const), pod }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('capacity' as const), cpus: fc.integer({ min: 4, max: 6 }) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('passes' as const), seconds: fc.constantFrom(1, 1, 4, 200) }) },
);

async function aNode(profile: ProfileName) {
  const clock = new ManualClock();
  const delays = { stopMs: 2_000, resizeMs: 3_000 };
  const cluster = await aCluster({ nodes: 1, clock, delays, profile: versionProfiles[profile] });
  const { kube } = cluster;
  const { resize } = resizing(kube);
  const namespaceOf = (isCritical: boolean) => (isCritical ? 'kube-system' : 'default');
  const all = async () => (await kube.resource(pods).list()).items;
  const named = async (index: number) => (await all()).find(({ metadata }) => metadata.name === `p${index}`);
  return {
    ...cluster,
    all,
    clock,
    async do(what: Happens): Promise<void> {
      switch (what.kind) {
        case 'create': {
          const spec = what.isCritical ? { priorityClassName: 'system-node-critical' } : {};
          const made = aPodAsking(`p${what.pod}`, { cpu: `${what.milliCpu}m`, memory: '8Mi' }, spec);
          if (await named(what.pod)) return;
          await kube
            .resource(pods)
            .create({ ...made, metadata: { ...made.metadata, namespace: namespaceOf(what.isCritical) } });
          break;
        }
        case 'resize': {
          const found = await named(what.pod);
          if (found) await resize(found, { requests: { cpu: `${what.milliCpu}m` } }).catch(expectRefusal);
          break;
        }
        case 'delete': {
          const found = await named(what.pod);
          if (found)
            await kube.resource(pods).delete({ namespace: found.metadata.namespace ?? '', name: `p${what.pod}` });
          break;
        }
        case 'restart': {
          const [kubelet] = cluster.kubelets();
          await kubelet?.stop();
          await kubelet?.start();
          break;
        }
        case 'capacity':
          cluster.machines()[0]?.setCapacity({ cpu: String(what.cpus) });
          break;
        case 'passes':
          for (let s = 0; s < what.seconds; s += 1) await clock.advance(1_000);
      }
      await clock.advance(0);
    },
  };
}

function expectRefusal(error: unknown): void {
  if (!(error instanceof Error) || !isStatus(JSON.parse(error.message))) throw error;
}

const isOver = ({ status }: Pod) => status?.phase === 'Failed' || status?.phase === 'Succeeded';

/** What has to be true of the node whatever has happened. */
async function check(node: Awaited<ReturnType<typeof aNode>>, leastMilliCpu: number): Promise<void> {
  const [machine] = node.machines();
  const checkpoint = machine?.checkpoint;
  const promised = (await node.all())
    .filter((each) => !isOver(each))
    .flatMap((each) => {
      const allocation = checkpoint?.allocated(each.metadata.uid ?? '');
      return allocation ? [amountsAsked(withAllocation(each, allocation)).get('cpu') ?? 0] : [];
    });
  const capacity = amountsOfList(machine?.spec.capacity).get('cpu') ?? 0;
  const sum = promised.reduce((a, b) => a + b, 0);
  // Capacity may have been pulled out from under pods that run; they stay, and nothing is promised on top.
  expect(sum).toBeLessThanOrEqual(Math.max(capacity, leastMilliCpu));
}

/** What has to be true once nothing more happens. */
async function checkAtRest(node: Awaited<ReturnType<typeof aNode>>): Promise<void> {
  for (let s = 0; s < 400; s += 1) await node.clock.advance(1_000);
  const before = await node.all();
  for (const each of before.filter((one) => !isOver(one))) {
    const asked = each.spec.containers[0]?.resources?.requests?.cpu;
    const pending = podCondition(each, 'PodResizePending');
    expect(podCondition(each, 'PodResizeInProgress'), each.metadata.name).toBeUndefined();
    if (!pending) expect(firstOf(each)?.resources?.requests?.cpu).toBe(asked);
    expect(firstOf(each)?.allocatedResources).toEqual(firstOf(each)?.resources?.requests);
  }
  for (let s = 0; s < 200; s += 1) await node.clock.advance(1_000);
  const versions = (all: readonly Pod[]) => all.map(({ metadata }) => metadata.resourceVersion);
  expect(versions(await node.all())).toEqual(versions(before));
}

test.each(['v1.34', 'v1.37-gate', 'native'] as const)(
  'on %s whatever happens: no more is promised than there is, every resize ends, and then nothing is written',
  async (profile) => {
    const begin: Happens[] = [0, 1, 2].map((index) => ({
      kind: 'create',
      pod: index,
      milliCpu: 500,
      isCritical: index === 0,
    }));
    const story = fc.array(happens, { minLength: 5, maxLength: 30 }).map((words) => [...begin, ...words]);
    await fc.assert(
      fc.asyncProperty(story, async (words) => {
        const node = await aNode(profile);
        try {
          let mostMilliCpu = 4_000;
          for (const word of words) {
            if (word.kind === 'capacity') mostMilliCpu = Math.max(mostMilliCpu, word.cpus * 1_000);
            await node.do(word);
            await check(node, mostMilliCpu);
          }
          await checkAtRest(node);
        } finally {
          await node[Symbol.asyncDispose]();
        }
      }),
      { numRuns },
    );
  },
  120_000,
);
