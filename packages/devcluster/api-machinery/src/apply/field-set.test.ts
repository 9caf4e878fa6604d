import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  difference,
  type FieldSet,
  hasPath,
  intersection,
  isEmpty,
  leaf,
  nodeOf,
  sameFields,
  setOf,
  union,
  unionOf,
  without,
} from './field-set.js';

const path = fc.array(fc.constantFrom('f:a', 'f:b', 'v:"x"', 'k:{"name":"y"}'), { minLength: 1, maxLength: 4 });
const paths = fc.array(path, { maxLength: 6 });
const setOfAll = (all: readonly (readonly string[])[]) => all.map(setOf).reduce<FieldSet>(union, {});
const key = (one: readonly string[]) => one.join('/');

test('union(), intersection() and difference() are those of sets of paths', () => {
  fc.assert(
    fc.property(paths, paths, path, (first, second, probe) => {
      const [a, b] = [setOfAll(first), setOfAll(second)];
      const [inA, inB] = [first.map(key).includes(key(probe)), second.map(key).includes(key(probe))];
      expect(hasPath(union(a, b), probe)).toBe(inA || inB);
      expect(hasPath(intersection(a, b), probe)).toBe(inA && inB);
      expect(hasPath(difference(a, b), probe)).toBe(inA && !inB);
    }),
  );
});

test('unionOf() is what one union after the other comes to', () => {
  fc.assert(
    fc.property(fc.array(paths, { maxLength: 5 }), (lists) => {
      const sets = lists.map(setOfAll);
      expect(unionOf(sets)).toEqual(sets.reduce(union, {}));
    }),
  );
});

test('without() takes what is below, too', () => {
  fc.assert(
    fc.property(paths, paths, path, (first, second, probe) => {
      const left = without(setOfAll(first), setOfAll(second));
      const isBelow = second.some((taken) => key(probe) === key(taken) || key(probe).startsWith(`${key(taken)}/`));
      expect(hasPath(left, probe)).toBe(first.map(key).includes(key(probe)) && !isBelow);
    }),
  );
});

test('what is equal is the same whatever the order in which it came together', () => {
  fc.assert(
    fc.property(paths, (all) => {
      expect(sameFields(setOfAll(all), setOfAll([...all].reverse()))).toBe(true);
      expect(isEmpty(difference(setOfAll(all), setOfAll(all)))).toBe(true);
    }),
  );
});

// member | children | node
const nodes: [boolean, FieldSet, FieldSet | undefined][] = [
  [false, {}, undefined],
  [true, {}, {}],
  [false, { 'f:a': {} }, { 'f:a': {} }],
  [true, { 'f:a': {} }, { '.': {}, 'f:a': {} }],
  [false, { '.': {}, 'f:a': {} }, { 'f:a': {} }],
  [true, { '.': {} }, {}],
];

test.each(nodes)('nodeOf(%j, %j) is %j', (member, children, node) => {
  expect(nodeOf(member, children)).toEqual(node);
});

test.each([0, 1, 2, 999, 1_000, 5_000])('isEmpty() of %i elements, asked twice', (count) => {
  const elements = Array.from({ length: count }, (_, index) => [`f:${index}`, leaf] as const);
  const set: FieldSet = { '.': leaf, ...Object.fromEntries(elements) };
  expect([isEmpty(set), isEmpty(set)]).toEqual([count === 0, count === 0]);
});
