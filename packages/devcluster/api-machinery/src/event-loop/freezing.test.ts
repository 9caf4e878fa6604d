import fc from 'fast-check';
import { expect, test } from 'vitest';
import { freezing } from './freezing.js';
import { runToCompletion } from './resumable.js';

function isFrozenThrough(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isFrozenThrough);
}

test('freezing() leaves what the JSON of a value says, frozen all through', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.boolean(), (value, hasMore) => {
      const object = { ...value, ...(hasMore && { 'no value': undefined }) };
      const text = JSON.stringify(object);
      runToCompletion(freezing(object));
      expect(isFrozenThrough(object)).toBe(true);
      expect(JSON.stringify(object)).toBe(text);
      expect(Object.values(object)).not.toContain(undefined);
    }),
  );
});

test('freezing() rests in the middle of an object of many fields', () => {
  const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`k${index}`, 'v']));
  expect([...freezing(many)].length).toBeGreaterThanOrEqual(9);
});
