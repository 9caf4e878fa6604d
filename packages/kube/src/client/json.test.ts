import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cloneJson, copyWith, freezeJson, sameJson } from './json.js';

test('cloneJson() copies any JSON, and the copy shares nothing', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const copy = cloneJson(freezeJson(value));
      expect(sameJson(copy, value)).toBe(true);
      if (typeof copy === 'object' && copy !== null) {
        expect(copy).not.toBe(value);
        expect(Object.isFrozen(copy)).toBe(false);
      }
    }),
  );
});

test('cloneJson() keeps a key called __proto__ an ordinary key', () => {
  const copy = cloneJson(JSON.parse('{"__proto__": {"polluted": true}}'));
  expect(Object.keys(copy)).toEqual(['__proto__']);
  expect(copy.polluted).toBeUndefined();
});

test('copyWith() keeps a key called __proto__ an ordinary key', () => {
  const copy = copyWith(JSON.parse('{"__proto__": {"polluted": true}}'), { a: 1 });
  expect(JSON.stringify(copy)).toBe('{"__proto__":{"polluted":true},"a":1}');
  expect(copy.polluted).toBeUndefined();
});

// a | b | are they the same JSON
const pairs: [unknown, unknown, boolean][] = [
  [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
  [{ a: 1 }, { a: 1, b: undefined }, true],
  [{ a: 1, b: undefined }, { a: 1, c: 2 }, false],
  [{ a: null }, {}, false],
  [[1, 2], [2, 1], false],
  [[], {}, false],
  [[1], { 0: 1, length: 1 }, false],
  [{ a: 1 }, { toString: 1 }, false],
  [{ toString: undefined }, {}, true],
  ['1', 1, false],
  [null, {}, false],
];

test.each(pairs)('sameJson(%j, %j) is %s', (a, b, expected) => {
  expect(sameJson(a, b)).toBe(expected);
  expect(sameJson(b, a)).toBe(expected);
});

test('freezeJson() freezes to the leaves', () => {
  const value = freezeJson({ a: [{ b: 1 }] });
  expect(Object.isFrozen(value.a[0])).toBe(true);
});

test('copyWith() copies, and puts what is more over and behind what is there', () => {
  const object = { a: 1, b: 2 };
  const copy: { a: string; b: number; c: boolean } = copyWith(object, { a: 'x', c: true });
  expect(Object.entries(copy)).toEqual([
    ['a', 'x'],
    ['b', 2],
    ['c', true],
  ]);
  expect([object, copyWith(object, undefined)]).toEqual([
    { a: 1, b: 2 },
    { a: 1, b: 2 },
  ]);
});
