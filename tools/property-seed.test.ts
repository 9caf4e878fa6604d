import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertySeed, usualSeed } from './property-seed.js';

test('propertySeed() is the usual one unless another is asked for', () => {
  expect(propertySeed(undefined)).toBe(usualSeed);
  expect(propertySeed('')).toBe(usualSeed);
  expect(propertySeed('-1990844030')).toBe(-1990844030);
  expect(Number.isInteger(propertySeed('random'))).toBe(true);
});

test.each(['often', '1.5', '4294967296'])('propertySeed() refuses %s', (asked) => {
  expect(() => propertySeed(asked)).toThrow(`SLIPWAY_SEED is "${asked}": use random, or an integer of 32 bits`);
});

test('a property without a seed of its own draws from the seed of the run', () => {
  const seed = Number(process.env.SLIPWAY_SEED);
  expect(fc.sample(fc.integer(), 20)).toEqual(fc.sample(fc.integer(), { numRuns: 20, seed }));
});
