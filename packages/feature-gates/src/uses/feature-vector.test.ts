import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { vectorName, vectorSpec } from './feature-vector.js';

test('vectorName() is v- and the first 32 digits of the SHA-256 of the sorted, dense JSON', () => {
  const spec = vectorSpec('c', '1.0', [{ name: 'B', enabled: true, stage: 'Beta', default: false, set: true }]);
  const text =
    '{"binaryVersion":"1.0","component":"c","gates":[{"default":false,"enabled":true,"name":"B","set":true,"stage":"Beta"}]}';
  expect(vectorName(spec)).toBe(`v-${createHash('sha256').update(text).digest('hex').slice(0, 32)}`);
});

test('vectorName() does not depend on the order of keys, but on every value', () => {
  expect(vectorName({ a: 1, b: { c: 2, d: 3 } })).toBe(vectorName({ b: { d: 3, c: 2 }, a: 1 }));
  expect(vectorName({ a: [1, 2] })).not.toBe(vectorName({ a: [2, 1] }));
});

test('vectorSpec() does not depend on the order of the list, and leaves out what is not a feature or says nothing', () => {
  const gate = fc.record({ name: fc.string(), enabled: fc.boolean(), stage: fc.constant('Beta'), read: fc.boolean() });
  const gates = fc.uniqueArray(gate, { selector: ({ name }) => name });
  fc.assert(
    fc.property(gates, (listed) => {
      const spec = vectorSpec('c', '1', listed);
      expect(vectorSpec('c', '1', listed.toReversed())).toEqual(spec);
      expect(spec.gates.map((g) => g.name)).toEqual(listed.map((g) => g.name).sort());
      for (const entry of spec.gates) expect(Object.keys(entry)).toEqual(['name', 'enabled', 'stage']);
    }),
  );
  const sweep = { name: 'AllAlpha', enabled: false, stage: 'Alpha' };
  expect(vectorSpec('c', '1', [sweep]).gates).toEqual([]);
});
