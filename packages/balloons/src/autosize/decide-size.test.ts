import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatAmounts, minus, nothing, parseAmounts, within } from '../planner/amounts.js';
import { planSize } from '../planner/plan-size.js';
import { aPolicy } from '../testing/an-observation.js';
import { type AutosizeInput, decideSize, type KeepReason, largestSize, wantNow } from './decide-size.js';

const allocatable = parseAmounts({ cpu: 16, memory: '64Gi' });
const { limits } = aPolicy({ min: { cpu: '100m', memory: '256Mi' } });
const headroom = { headroomPercent: 15n, headroom: parseAmounts({ cpu: '250m', memory: '512Mi' }) };
const minutes = (count: number) => count * 60_000;

test.each([
  [{ cpu: '0', memory: '0' }, '250m 512Mi'],
  [{ cpu: '1', memory: '1Gi' }, '1250m 1536Mi'],
  [{ cpu: '4', memory: '16Gi' }, '4600m 18848Mi'],
  // The smallest balloon stays.
  [{ cpu: '15', memory: '60Gi' }, '16 65528Mi'],
])('wantNow(%j) is %s', (requested, wanted) => {
  const { cpu, memory } = formatAmounts(wantNow(parseAmounts(requested), allocatable, headroom, limits));
  expect(`${cpu} ${memory}`).toBe(wanted);
});

test('any story: the size that wantNow() comes to on a node holds what pods request, where any size does', () => {
  const amounts = fc.record({ cpu: fc.integer({ min: 0, max: 20_000 }), memory: fc.integer({ min: 0, max: 2 ** 36 }) });
  const read = (each: { cpu: number; memory: number }) => ({ cpu: BigInt(each.cpu), memory: BigInt(each.memory) });
  fc.assert(
    fc.property(amounts, amounts, fc.option(amounts, { nil: undefined }), (whole, asked, most) => {
      const [node, requested] = [read(whole), read(asked)];
      const bounds = { ...limits, max: most ? read(most) : {} };
      if (!within(requested, largestSize(node, bounds)) || !within(limits.min, node)) return;
      const size = wantNow(requested, node, headroom, bounds);
      const wish = { cpu: { kind: 'size', amount: size.cpu }, memory: { kind: 'size', amount: size.memory } } as const;
      const input = {
        allocatable: node,
        requested: nothing,
        balloon: node,
        wish,
        fit: 'BestEffort',
        limits: bounds,
      } as const;
      const plan = planSize(input);
      const balloon = plan.kind === 'resize' ? plan.to : node;
      expect(within(requested, minus(node, balloon))).toBe(true);
    }),
  );
});

/** A node of some size, and what it wanted so many minutes ago. */
function story(size: string, wants: readonly (readonly [number, string])[], keep?: KeepReason): AutosizeInput {
  const nowMs = minutes(120);
  const both = (cpu: string) => parseAmounts({ cpu, memory: `${Number(cpu) * 4}Gi` });
  return {
    nowMs,
    allocatable,
    size: both(size),
    limits,
    stabilizationMs: minutes(10),
    wants: wants.map(([ago, cpu]) => ({ atMs: nowMs - minutes(ago), amounts: both(cpu) })),
    keep,
  };
}

// size | wants: minutes ago, cpu | keep | decision
test.each<[string, readonly (readonly [number, string])[], KeepReason | undefined, string]>([
  ['4', [[0, '5']], undefined, 'grow 5'],
  ['4', [[0, '5']], 'NotReady', 'grow 5'],
  ['4', [[0, '4']], undefined, 'keep Fits'],
  ['8', [[0, '4']], undefined, 'keep Stabilizing'],
  [
    '8',
    [
      [10, '4'],
      [0, '4'],
    ],
    undefined,
    'shrink 4',
  ],
  [
    '8',
    [
      [10, '4'],
      [5, '6'],
      [0, '4'],
    ],
    undefined,
    'shrink 6',
  ],
  [
    '8',
    [
      [10, '4'],
      [0, '4'],
    ],
    'Leaving',
    'keep Leaving',
  ],
  [
    '16',
    [
      [1, '4'],
      [0, '4'],
    ],
    undefined,
    'shrink 8',
  ],
  [
    '16',
    [
      [9, '12'],
      [0, '12'],
    ],
    undefined,
    'keep Stabilizing',
  ],
  [
    '16',
    [
      [10, '12'],
      [0, '12'],
    ],
    undefined,
    'shrink 12',
  ],
  [
    '2',
    [
      [10, '1'],
      [0, '1'],
    ],
    undefined,
    'keep Stabilizing',
  ],
  [
    '2',
    [
      [60, '1'],
      [0, '1'],
    ],
    undefined,
    'shrink 1',
  ],
  [
    '8',
    [
      [10, '7.5'],
      [0, '7.5'],
    ],
    undefined,
    'keep Fits',
  ],
])('decideSize() of a node with %s cores that wanted %j, %s: %s', (size, wants, keep, says) => {
  const decision = decideSize(story(size, wants, keep));
  const what = decision.kind === 'keep' ? decision.reason : formatAmounts(decision.to).cpu;
  expect(`${decision.kind} ${what}`).toBe(says);
});

test('any story: a node never shrinks below what it wants now, nor to less than half', () => {
  const cores = fc.integer({ min: 1, max: 16 }).map(String);
  const wants = fc.array(fc.tuple(fc.integer({ min: 0, max: 90 }), cores), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(cores, wants, cores, (size, past, wanted) => {
      const input = story(size, [...[...past].sort(([a], [b]) => b - a), [0, wanted]]);
      const decision = decideSize(input);
      if (decision.kind === 'keep') return;
      const now = input.wants.at(-1)?.amounts ?? nothing;
      expect(decision.to.cpu >= now.cpu && decision.to.memory >= now.memory).toBe(true);
      if (decision.kind === 'shrink') expect(decision.to.cpu * 2n >= input.size.cpu).toBe(true);
    }),
  );
});
