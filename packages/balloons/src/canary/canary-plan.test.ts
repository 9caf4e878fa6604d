import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canaryAmounts, leastMilliCpu, rivalsOf } from './canary-plan.js';

test('whatever is free: each trial fits only if another pod loses its place, and then it does fit', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: leastMilliCpu, max: 512_000n }), (free) => {
      const { bystander, small, tooMuch, grown, rival } = canaryAmounts(free);
      expect(bystander + small < free && small + grown < free).toBe(true);
      expect(bystander + tooMuch > free && tooMuch + small <= free).toBe(true);
      expect(grown + rival > free && rival <= free).toBe(true);
    }),
  );
});

test('critical pods are rivals where the balloon is as unpreemptable as they are', () => {
  expect(rivalsOf('Polite').map(({ className }) => className)).toEqual([undefined]);
  for (const mode of ['Native', 'Protected'] as const) {
    expect(rivalsOf(mode).map(({ placedBy }) => placedBy)).toEqual(['scheduler', 'scheduler', 'kubelet']);
  }
});
