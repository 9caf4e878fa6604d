import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SortedEntries } from './sorted-entries.js';

const key = fc.string({ unit: fc.constantFrom('a', 'b', '/', '-'), minLength: 1, maxLength: 6 });
const change = fc.record({ kind: fc.constantFrom('set', 'set', 'delete'), key, value: fc.nat() });

test('SortedEntries agrees with a plain map that is sorted when read', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 200 }), key, key, (changes, start, end) => {
      const sorted = new SortedEntries<number>();
      const plain = new Map<string, number>();
      for (const { kind, key, value } of changes) {
        if (kind === 'set') {
          sorted.set(key, value);
          plain.set(key, value);
        } else {
          sorted.delete(key);
          plain.delete(key);
        }
      }
      const expected = [...plain].filter(([k]) => k >= start && k < end).sort(([a], [b]) => (a < b ? -1 : 1));
      expect([...sorted.range(start, end)]).toEqual(expected);
      expect(sorted.count(start, end)).toBe(expected.length);
      expect(sorted.size).toBe(plain.size);
    }),
  );
});

test('SortedEntries keeps order over many chunks, filled and emptied in any order', () => {
  const sorted = new SortedEntries<number>();
  const keys = Array.from({ length: 5000 }, (_, i) => `k${(i * 7919) % 5000}`);
  for (const [value, k] of keys.entries()) sorted.set(k, value);
  expect([...sorted.range('')].map(([k]) => k)).toEqual([...keys].sort());
  expect(sorted.count('k2', 'k3')).toBe(keys.filter((k) => k >= 'k2' && k < 'k3').length);
  for (const k of keys.slice(0, 4990)) sorted.delete(k);
  expect([...sorted.range('')].map(([k]) => k)).toEqual(keys.slice(4990).sort());
});
