import { runToCompletion } from '@slipway/api-machinery/event-loop/resumable';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { copyJson, sortedCopy, sortingCopy } from './json-copy.js';

const objects = fc.dictionary(fc.string(), fc.jsonValue()).map((value) => ({ ...value, none: undefined }));

test('a sorted copy says the same with all keys in order, with rests or without', () => {
  fc.assert(
    fc.property(fc.oneof(objects, fc.array(fc.oneof(objects, fc.jsonValue()))), (value) => {
      const sorted = sortedCopy(value);
      expect(sorted).toEqual(copyJson(value));
      expect(isInOrder(sorted)).toBe(true);
      expect(JSON.stringify(runToCompletion(sortingCopy(value)))).toBe(JSON.stringify(sorted));
    }),
  );
});

test('what is frozen is shared', () => {
  const inner = Object.freeze({ b: 1, a: 2 });
  expect(runToCompletion(sortingCopy({ inner })).inner).toBe(inner);
});

test('sortingCopy() rests in the middle of an object of many fields', () => {
  const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`k${index}`, 'v']));
  expect([...sortingCopy(many)].length).toBeGreaterThanOrEqual(9);
});

function isInOrder(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  const names = Object.keys(value);
  // Names that are numbers stand first in every object, whatever was written first.
  const texts = names.filter((name) => !/^(0|[1-9]\d*)$/.test(name));
  return texts.join('\n') === texts.toSorted().join('\n') && Object.values(value).every(isInOrder);
}
