import fc from 'fast-check';
import { expect, test } from 'vitest';
import { templateHash } from './template-hash.js';

test('templateHash() does not depend on the order of keys or on absent fields', () => {
  const hash = templateHash({ a: 1, b: { c: [1, 2], d: 'x' } });
  expect(templateHash({ b: { d: 'x', c: [1, 2], e: undefined }, a: 1 })).toBe(hash);
});

test('templateHash() gives another name for each collision', () => {
  const names = [0, 1, 2, 3].map((collisions) => templateHash({ a: 1 }, collisions));
  expect(new Set(names).size).toBe(4);
});

test('templateHash() is a short label value without vowels', () => {
  fc.assert(
    fc.property(fc.json(), (json) => {
      expect(templateHash(JSON.parse(json))).toMatch(/^[b-df-hj-np-tv-z24-9]{1,10}$/);
    }),
  );
});
