import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Amounts, formatAmounts, minus, parseAmounts, sum, within } from '../planner/amounts.js';
import { type PartitionMember, type PartitionPlan, planPartition } from './plan-partition.js';

const host = parseAmounts({ cpu: 16, memory: '64Gi' });
const reserve = parseAmounts({ cpu: 1, memory: '4Gi' });
const shared = minus(host, reserve);

/** Kubelets that come to the size they are asked for when the story says so. */
function hostOf(weights: readonly number[]) {
  let others: PartitionMember[] = [];
  let members: PartitionMember[] = weights.map((weight, at) => {
    return { node: `n${at}`, weight, hardware: host, allocatable: host, size: host, wanted: host };
  });
  const edit = (at: number, change: (member: PartitionMember) => Partial<PartitionMember>) => {
    const node = `n${at}`;
    const edited = (member: PartitionMember) => (member.node === node ? { ...member, ...change(member) } : member);
    [members, others] = [members.map(edited), others.map(edited)];
  };
  return {
    total: () => sum([...members, ...others].map(({ size }) => size)),
    sizes: () => members.map(({ size }) => formatAmounts(size)),
    plan: () => planPartition({ members, others, reserve }),
    write: (plan: PartitionPlan) => {
      members = members.map((member) => ({ ...member, wanted: plan.writes.get(member.node) ?? member.wanted }));
    },
    carryOut: (at: number) => edit(at % weights.length, ({ wanted }) => ({ size: wanted })),
    weigh: (at: number, weight: number) => edit(at % weights.length, () => ({ weight })),
    /** As `slipway node partition --remove`: it keeps its size. */
    remove(at: number) {
      const isRemoved = ({ node }: PartitionMember) => node === `n${at % weights.length}`;
      if (members.length === 1) return;
      others = [...others, ...members.filter(isRemoved)];
      members = members.filter((member) => !isRemoved(member));
    },
    /** Its node is deleted. */
    leave(at: number) {
      others = others.filter(({ node }) => node !== `n${at}`);
    },
    settle() {
      for (let round = 0; round < 4; round++) {
        this.write(this.plan());
        for (const at of weights.keys()) this.carryOut(at);
      }
      return this.plan();
    },
  };
}

test('planPartition() shrinks everybody at first: each kubelet reports the whole machine', () => {
  const kubelets = hostOf([1, 1, 1, 1]);
  const plan = kubelets.plan();
  expect(plan).toMatchObject({ oversubscribed: true, balanced: false, hardwareDiffers: false });
  expect(plan.shrinking).toEqual(['n0', 'n1', 'n2', 'n3']);
  expect([...plan.writes.values()].map(formatAmounts)).toEqual(Array(4).fill({ cpu: '3750m', memory: '15Gi' }));
});

test('planPartition() lets no node grow before the nodes that must shrink have shrunk', () => {
  const kubelets = hostOf([1, 1, 1]);
  expect(kubelets.settle().balanced).toBe(true);
  kubelets.weigh(0, 2);
  const first = kubelets.plan();
  expect([...first.writes.keys()]).toEqual(['n1', 'n2']);
  kubelets.write(first);
  kubelets.carryOut(1);
  expect([...kubelets.plan().writes.keys()]).toEqual([]);
  kubelets.carryOut(2);
  expect([...kubelets.plan().writes.keys()]).toEqual(['n0']);
});

test('planPartition() takes the least that a member says for what the machine has', () => {
  const small: Amounts = parseAmounts({ cpu: 8, memory: '64Gi' });
  const member = { weight: 1, hardware: host, allocatable: host, size: host, wanted: host };
  const members = [
    { ...member, node: 'a' },
    { ...member, node: 'b', hardware: small, allocatable: small },
  ];
  const plan = planPartition({ members, others: [], reserve: parseAmounts({}) });
  expect(plan.hardwareDiffers).toBe(true);
  expect(formatAmounts(plan.capacity)).toEqual({ cpu: '8', memory: '64Gi' });
});

test('planPartition() leaves a removed kubelet its size, and gives it to the others once it is gone', () => {
  const kubelets = hostOf([2, 1, 1, 1]);
  expect(kubelets.settle().balanced).toBe(true);
  kubelets.remove(3);
  expect(kubelets.settle()).toMatchObject({ balanced: true, oversubscribed: false });
  expect(kubelets.sizes().map(({ cpu }) => cpu)).toEqual(['6', '3', '3']);
  kubelets.leave(3);
  expect(kubelets.settle()).toMatchObject({ balanced: true, oversubscribed: false });
  expect(kubelets.sizes().map(({ cpu }) => cpu)).toEqual(['7500m', '3750m', '3750m']);
});

test('planPartition() asks for nothing while a kubelet without a share may use the whole machine', () => {
  const kubelets = hostOf([1, 1, 1]);
  kubelets.remove(2);
  const plan = kubelets.plan();
  expect(plan).toMatchObject({ crowded: true, oversubscribed: true, balanced: false });
  expect([...plan.writes]).toEqual([]);
});

test('any story: once the sum fits it always fits, and left alone everybody comes to have its share', () => {
  const event = fc.oneof(
    fc.record({ kind: fc.constant('weigh' as const), at: fc.nat(4), weight: fc.integer({ min: 1, max: 9 }) }),
    fc.record({ kind: fc.constant('remove' as const), at: fc.nat(4), weight: fc.constant(1) }),
    fc.record({ kind: fc.constant('plan' as const), at: fc.nat(4), weight: fc.constant(1) }),
    fc.record({ kind: fc.constant('carry-out' as const), at: fc.nat(4), weight: fc.constant(1) }),
  );
  fc.assert(
    fc.property(fc.array(event, { maxLength: 60 }), (story) => {
      const kubelets = hostOf([1, 2, 3, 1, 1]);
      let fitted = false;
      for (const { kind, at, weight } of story) {
        if (kind === 'weigh') kubelets.weigh(at, weight);
        if (kind === 'remove') kubelets.remove(at);
        if (kind === 'plan') kubelets.write(kubelets.plan());
        if (kind === 'carry-out') kubelets.carryOut(at);
        const fits = within(kubelets.total(), shared);
        expect(fits || !fitted).toBe(true);
        fitted = fits;
      }
      const { balanced, oversubscribed, crowded } = kubelets.settle();
      expect(balanced || crowded).toBe(true);
      expect(oversubscribed && fitted).toBe(false);
    }),
    { numRuns: 300 },
  );
});
