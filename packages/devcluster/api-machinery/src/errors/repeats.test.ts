import fc from 'fast-check';
import { expect, test } from 'vitest';
import { repeatsIn } from './repeats.js';

test('repeatsIn() says which values stand in the list before', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', 'b', 'c', undefined)), (values) => {
      const isTwice = repeatsIn(values);
      expect(values.map((_, index) => isTwice(index))).toEqual(values.map((value, at) => values.indexOf(value) < at));
    }),
  );
});

test('repeatsIn() looks at each value once, however often it is asked', () => {
  let looks = 0;
  const values = Array.from({ length: 1_000 }, (_, index) => `v${index}`);
  const watched = new Proxy(values, {
    get: (list, key, receiver) => {
      if (typeof key === 'string' && /^\d+$/.test(key)) looks += 1;
      return Reflect.get(list, key, receiver);
    },
  });
  const isTwice = repeatsIn(watched);
  expect(values.some((_, index) => isTwice(index))).toBe(false);
  expect(looks).toBe(values.length);
});
