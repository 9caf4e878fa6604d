import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nearest } from './nearest.js';

/** Letters to add, drop, change or swap, by trying all of them at the end of both words. */
function distance(one: string, other: string): number {
  if (one === '' || other === '') return one.length + other.length;
  const [end, last] = [one.slice(0, -1), other.slice(0, -1)];
  const isSame = one.at(-1) === other.at(-1);
  const isSwapped = one.length > 1 && one.at(-1) === other.at(-2) && one.at(-2) === other.at(-1);
  return Math.min(
    distance(end, other) + 1,
    distance(one, last) + 1,
    distance(end, last) + (isSame ? 0 : 1),
    isSwapped ? distance(one.slice(0, -2), other.slice(0, -2)) + 1 : Number.POSITIVE_INFINITY,
  );
}

test('nearest() is the first of the words with the fewest slips, at most two', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 4, maxLength: 6 });
  fc.assert(
    fc.property(word, fc.array(word, { maxLength: 5 }), (typed, words) => {
      const least = Math.min(...words.map((each) => distance(typed, each)));
      const best = least > 2 ? undefined : words.find((each) => distance(typed, each) === least);
      expect(nearest(typed, words)).toBe(best);
    }),
  );
});
