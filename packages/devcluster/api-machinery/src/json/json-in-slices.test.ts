import { stringifyJson } from '@slipway/kube';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runToCompletion } from '../event-loop/resumable.js';
import { comparingJson, copyingFields, copyingJson, sortingStrings, writingJson } from './json-in-slices.js';
import { equalJson, type JsonObject } from './json-value.js';

const keys = fc.oneof(fc.constantFrom('a', 'b', '__proto__', 'constructor', '1'), fc.string());
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.constantFrom<unknown>(null, true, 0, 1, 2n ** 60n, '', 'a'),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(keys, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
}));
const object = fc.dictionary(keys, value, { maxKeys: 5, noNullPrototype: true }) as fc.Arbitrary<JsonObject>;
/** More than is handled between two yields. */
const many = Object.fromEntries(Array.from({ length: 90_000 }, (_, index) => [`k${index}`, 'v']));

test('comparingJson() agrees with equalJson()', () => {
  fc.assert(
    fc.property(value, value, (a, b) => {
      expect(runToCompletion(comparingJson(a, b))).toBe(equalJson(a, b));
      expect(runToCompletion(comparingJson(a, runToCompletion(copyingJson(a))))).toBe(true);
      expect(runToCompletion(comparingJson([a, b], [b, a]))).toBe(equalJson(a, b));
    }),
  );
});

test('copyingJson() copies any JSON with its keys in order, and the copy shares nothing that can change', () => {
  fc.assert(
    fc.property(value, (original) => {
      const copy = runToCompletion(copyingJson(original));
      expect(copy).toEqual(original);
      expect(fc.stringify(copy)).toBe(fc.stringify(original));
      if (typeof original === 'object' && original !== null) expect(copy).not.toBe(original);
    }),
  );
});

test('sortingStrings() sorts as sort() does, of any length, and keeps the order of equal strings', () => {
  const byLength = (a: string, b: string) => a.length - b.length;
  const long = fc.tuple(fc.array(fc.string(), { minLength: 1 }), fc.integer({ min: 1, max: 3_000 }));
  fc.assert(
    fc.property(long, ([some, times]) => {
      const strings = Array.from(
        { length: some.length * times },
        (_, index) => `${some[index % some.length]}${index % 97}`,
      );
      expect(runToCompletion(sortingStrings(strings))).toEqual([...strings].sort());
      expect(runToCompletion(sortingStrings(strings, byLength))).toEqual([...strings].sort(byLength));
    }),
    { numRuns: 20 },
  );
});

test('copyingFields() copies the fields of an object, and shares what is in them', () => {
  fc.assert(
    fc.property(object, (original) => {
      const copy = runToCompletion(copyingFields(original));
      expect(Object.entries(copy)).toEqual(Object.entries(original));
      for (const key of Object.keys(original)) expect(copy[key]).toBe(original[key]);
      expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
    }),
  );
});

test('writingJson() writes what stringifyJson() writes', () => {
  const names = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('__proto__', 'constructor', '1'));
  const leaves = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.double(),
    fc.boolean(),
    fc.constantFrom(null, undefined, 2n ** 60n),
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 7, withCrossShrink: true },
      leaves.filter((leaf) => leaf !== undefined),
      fc.array(tie('value'), { maxLength: 18 }),
      fc.dictionary(names, fc.oneof(tie('value'), leaves), { maxKeys: 18 }),
    ),
  }));
  fc.assert(
    fc.property(value, leaves, fc.integer({ min: 1, max: 700 }), (one, leaf, count) => {
      const many = Array.from({ length: count }, (_, at) => [`k${at}`, leaf]);
      for (const each of [[one], { one, many, map: Object.fromEntries(many) }]) {
        expect(runToCompletion(writingJson(each))).toBe(stringifyJson(each));
      }
    }),
    { numRuns: 20 },
  );
});

test.each([
  ['writingJson', () => writingJson({ metadata: { managedFields: [{ fieldsV1: { many } }] } })],
  ['comparingJson', () => comparingJson(many, { ...many })],
  ['comparingJson of lists', () => comparingJson(Object.keys(many), Object.keys(many))],
  ['copyingJson', () => copyingJson({ many })],
  ['sortingStrings', () => sortingStrings(Object.keys(many))],
  ['copyingFields', () => copyingFields(many)],
])('%s() yields once for every 1,000 of 90,000 fields', (_name, work) => {
  expect([...work()].length).toBeGreaterThanOrEqual(90);
});
