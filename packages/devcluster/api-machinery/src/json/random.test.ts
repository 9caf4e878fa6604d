import { expect, test } from 'vitest';
import { drawnFrom, systemRandom } from './random.js';

test.each([
  ['the same numbers', drawnFrom(() => 0.999)],
  ['the machine', systemRandom],
])('a UID drawn from %s is one of RFC 9562 at random, and a suffix has five characters', (_, random) => {
  expect(random.uid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(random.suffix()).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{5}$/);
});

test('drawnFrom() draws other names from other numbers, and the same from the same', () => {
  const counting = () => {
    let drawn = 0;
    return drawnFrom(() => (drawn++ % 7) / 7);
  };
  const [one, other] = [counting(), counting()];
  const [first, second] = [one.uid(), one.uid()];
  expect(second).not.toBe(first);
  expect([other.uid(), other.uid()]).toEqual([first, second]);
});
