import type { Taint } from '@slipway/kube-objects/kinds/api/nodes';
import type { Toleration } from '@slipway/kube-objects/kinds/api/pods';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bearableMs } from './eviction-moment.js';

const unreachable: Taint = { key: 'unreachable', effect: 'NoExecute' };
const mine: Taint = { key: 'mine', value: 'x', effect: 'NoExecute' };
const bears = (key: string, tolerationSeconds?: number): Toleration => ({
  key,
  operator: 'Exists',
  effect: 'NoExecute',
  ...(tolerationSeconds !== undefined && { tolerationSeconds }),
});

const cases: [string, Taint[], Toleration[], number][] = [
  ['no taint', [], [], Number.POSITIVE_INFINITY],
  ['a taint that only keeps new pods away', [{ ...mine, effect: 'NoSchedule' }], [], Number.POSITIVE_INFINITY],
  ['a taint it does not tolerate', [unreachable], [], 0],
  ['a taint it tolerates without a limit', [unreachable], [bears('unreachable')], Number.POSITIVE_INFINITY],
  ['a taint it tolerates for a while', [unreachable], [bears('unreachable', 300)], 300_000],
  ['two, the shorter counts', [unreachable, mine], [bears('unreachable', 300), bears('mine', 30)], 30_000],
  ['two, one of them not tolerated', [unreachable, mine], [bears('unreachable', 300)], 0],
  ['a negative time', [unreachable], [bears('unreachable', -5)], 0],
  ['a toleration of everything', [unreachable, mine], [{ operator: 'Exists' }], Number.POSITIVE_INFINITY],
  ['the first toleration that covers it', [unreachable], [bears('unreachable', 60), { operator: 'Exists' }], 60_000],
  ['another value', [mine], [{ key: 'mine', operator: 'Equal', value: 'y', effect: 'NoExecute' }], 0],
];
test.each(cases)('bearableMs() %s', (_, taints, tolerations, expected) => {
  expect(bearableMs(taints, tolerations)).toBe(expected);
});

test('bearableMs() never grows with another taint', () => {
  const keys = fc.constantFrom('a', 'b', 'c');
  const taints = fc.array(keys.map((key): Taint => ({ key, effect: 'NoExecute' })));
  const tolerations = fc.array(fc.tuple(keys, fc.option(fc.integer({ min: -1, max: 600 }), { nil: undefined })));
  fc.assert(
    fc.property(taints, tolerations, keys, (some, borne, more) => {
      const all = borne.map(([key, seconds]) => bears(key, seconds));
      const before = bearableMs(some, all);
      expect(bearableMs([...some, { key: more, effect: 'NoExecute' }], all)).toBeLessThanOrEqual(before);
    }),
  );
});
