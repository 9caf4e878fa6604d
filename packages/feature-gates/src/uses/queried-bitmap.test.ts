import fc from 'fast-check';
import { expect, test } from 'vitest';
import { queriedBitmap, queriedGates } from './queried-bitmap.js';

test('queriedGates() reads back what queriedBitmap() wrote', () => {
  const gates = fc.uniqueArray(fc.string(), { maxLength: 300 });
  fc.assert(
    fc.property(gates, fc.infiniteStream(fc.boolean()), (names, coin) => {
      const read = names.filter(() => coin.next().value);
      expect(
        queriedGates(
          names,
          queriedBitmap(names, (name) => read.includes(name)),
        ),
      ).toEqual(read);
    }),
  );
});

test('a bitmap of 200 gates has 36 characters, and of none read it is left out', () => {
  const names = Array.from({ length: 200 }, (_, index) => `g${index}`);
  expect(queriedBitmap(names, () => true)).toHaveLength(36);
  expect(queriedBitmap(names, () => false)).toBeUndefined();
});

test.each(['', 'AA==', '////////', 'not base64 at all!'])('queriedGates() makes do with %j', (bitmap) => {
  expect(queriedGates(['a', 'b'], bitmap).length).toBeLessThanOrEqual(2);
});
