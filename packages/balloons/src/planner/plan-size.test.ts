import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aPolicy } from '../testing/an-observation.js';
import { type Amounts, nothing, parseAmounts, perResource, plus, resources, within } from './amounts.js';
import { leavesLittleRoom, type PlanInput, planSize } from './plan-size.js';
import { fullSize, readWish, type SizeWish } from './size-wish.js';

const { limits } = aPolicy({ min: { cpu: '100m', memory: '256Mi' } });

/** 16 cores and 64Gi of which pods ask for 3 and 10Gi; nothing is hidden yet. */
function node(change: Partial<PlanInput> = {}): PlanInput {
  return {
    allocatable: parseAmounts({ cpu: '16', memory: '64Gi' }),
    requested: parseAmounts({ cpu: '3', memory: '10Gi' }),
    balloon: limits.minBalloon,
    wish: fullSize,
    fit: 'Exact',
    limits,
    ...change,
  };
}

describe('a node of 16 cores and 64Gi with 3 and 10Gi asked for', () => {
  test('full is a balloon of its smallest size: nothing to do', () => {
    expect(planSize(node())).toEqual({ kind: 'at-size', outside: [] });
  });

  test('size 4 / 16Gi hides 12 / 48Gi in one patch', () => {
    const to = parseAmounts({ cpu: '12', memory: '48Gi' });
    expect(planSize(node({ wish: readWish({ mode: 'Size', size: { cpu: '4', memory: '16Gi' } }) }))).toMatchObject({
      kind: 'resize',
      direction: 'Down',
      to,
      patches: [to],
      partial: false,
    });
  });

  test('size 2 does not fit, and the answer says by how much', () => {
    expect(planSize(node({ wish: readWish({ mode: 'Size', size: { cpu: '2' } }) }))).toMatchObject({
      kind: 'does-not-fit',
      short: { cpu: 1000n },
    });
  });

  test('with best effort, size 2 becomes the 3 cores that pods ask for', () => {
    const plan = planSize(node({ fit: 'BestEffort', wish: readWish({ mode: 'Size', size: { cpu: '2' } }) }));
    expect(plan).toMatchObject({ kind: 'resize', to: { cpu: 13_000n }, partial: true });
  });

  test('more cpu and less memory are two patches, what shrinks first', () => {
    const balloon = parseAmounts({ cpu: '12', memory: '8Mi' });
    const wish = readWish({ mode: 'Size', size: { cpu: '8', memory: '32Gi' } });
    expect(planSize(node({ balloon, wish }))).toMatchObject({
      direction: 'Mixed',
      patches: [parseAmounts({ cpu: '8', memory: '8Mi' }), parseAmounts({ cpu: '8', memory: '32Gi' })],
    });
  });

  test.each([
    ['larger than the node', { cpu: '17' }, 'allocatable'],
    ['smaller than the policy allows', { cpu: '50m' }, 'min'],
  ] as const)('a size %s is named as such', (_, size, bound) => {
    const plan = planSize(node({ requested: nothing, wish: readWish({ mode: 'Size', size }) }));
    expect(plan).toMatchObject({ outside: [{ resource: 'cpu', bound }] });
  });

  test('what critical pods need stays free', () => {
    const reserved = { ...limits, criticalReserve: parseAmounts({ cpu: '1' }) };
    expect(
      planSize(node({ limits: reserved, wish: readWish({ mode: 'Size', size: { cpu: '3500m' } }) })),
    ).toMatchObject({ kind: 'does-not-fit', short: { cpu: 500n } });
  });
});

describe('memory is added to a running node', () => {
  const grown = parseAmounts({ cpu: '16', memory: '80Gi' });

  test('a constant balloon stays, so that the size moves one to one', () => {
    const balloon = parseAmounts({ cpu: '12', memory: '48Gi' });
    const wish = readWish({ mode: 'Balloon', balloon: { cpu: '12', memory: '48Gi' } });
    expect(planSize(node({ allocatable: grown, balloon, wish })).kind).toBe('at-size');
  });

  test('a constant size stays, so that the balloon takes all of it', () => {
    const balloon = parseAmounts({ cpu: '12', memory: '48Gi' });
    const wish = readWish({ mode: 'Size', size: { cpu: '4', memory: '16Gi' } });
    expect(planSize(node({ allocatable: grown, balloon, wish }))).toMatchObject({
      to: parseAmounts({ cpu: '12', memory: '64Gi' }),
    });
  });
});

test('room is little when less than the given part of the node stays free', () => {
  const input = node();
  expect(leavesLittleRoom(input, parseAmounts({ cpu: '11', memory: '8Mi' }), 10)).toBe(false);
  expect(leavesLittleRoom(input, parseAmounts({ cpu: '12', memory: '8Mi' }), 10)).toBe(true);
});

const amounts = (most: bigint): fc.Arbitrary<Amounts> =>
  fc.record({ cpu: fc.bigInt(0n, most), memory: fc.bigInt(0n, most) });

const inputs: fc.Arbitrary<PlanInput> = fc
  .record({
    allocatable: amounts(2_000n),
    parts: fc.tuple(amounts(100n), amounts(100n)),
    wish: fc.oneof(fc.constant(fullSize), amounts(2_500n).map(exactly)),
    fit: fc.constantFrom('Exact' as const, 'BestEffort' as const),
    granularity: fc.record({ cpu: fc.bigInt(1n, 70n), memory: fc.bigInt(1n, 70n) }),
    criticalReserve: amounts(50n),
  })
  .map(({ allocatable: extra, parts: [requested, balloon], wish, fit, granularity, criticalReserve }) => ({
    // A kubelet never sets aside more than there is.
    allocatable: plus(extra, plus(requested, balloon)),
    requested,
    balloon,
    wish,
    fit,
    limits: { min: nothing, max: {}, granularity, criticalReserve, minBalloon: nothing },
  }));

const after = (input: PlanInput): Amounts => {
  const plan = planSize(input);
  return plan.kind === 'resize' ? plan.to : input.balloon;
};

describe('for any node and wish', () => {
  test('a balloon never grows into what pods ask for', () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const to = after(input);
        for (const resource of resources) {
          if (to[resource] > input.balloon[resource]) {
            expect(to[resource] + input.requested[resource]).toBeLessThanOrEqual(input.allocatable[resource]);
          }
        }
      }),
    );
  });

  test('each patch either only shrinks or only grows, and none goes beyond the goal', () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const plan = planSize(input);
        if (plan.kind !== 'resize') return;
        let before = plan.from;
        for (const patch of plan.patches) {
          expect(within(patch, before) || within(before, patch)).toBe(true);
          before = patch;
        }
        expect(before).toEqual(plan.to);
        expect(plan.patches.slice(0, -1).every((patch) => within(patch, plan.from))).toBe(true);
      }),
    );
  });

  test('what was reached is left alone', () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const again = planSize({ ...input, balloon: after(input) });
        expect(again.kind).not.toBe('resize');
      }),
    );
  });

  test('who wishes for more does not get less', () => {
    fc.assert(
      fc.property(inputs, amounts(500n), (input, more) => {
        const larger: SizeWish = exactly(
          perResource((resource) => {
            const wish = input.wish[resource];
            return (
              (wish === 'full' || wish.kind !== 'size' ? input.allocatable[resource] : wish.amount) + more[resource]
            );
          }),
        );
        const best = { ...input, fit: 'BestEffort' as const };
        const before = after(best);
        const then = after({ ...best, wish: larger });
        for (const resource of resources) {
          // A difference below one step is left as it is, in either direction.
          expect(then[resource]).toBeLessThan(before[resource] + input.limits.granularity[resource]);
        }
      }),
    );
  });
});

/** A wish for exactly these amounts. */
function exactly(size: Amounts): SizeWish {
  return { cpu: { kind: 'size', amount: size.cpu }, memory: { kind: 'size', amount: size.memory } };
}
