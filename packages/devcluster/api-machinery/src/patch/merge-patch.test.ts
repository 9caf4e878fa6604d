import { StatusError } from '@slipway/kube';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyMergePatch } from './merge-patch.js';

// original | patch | result: the cases of RFC 7386, appendix A, for objects
const cases: [object, object, object][] = [
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  // where Kubernetes differs: nulls in objects of lists go, null elements stay
  [{}, { a: [null, { b: null, c: 1 }] }, { a: [null, { c: 1 }] }],
];

test.each(cases)('applyMergePatch(%j, %j) is %j', (original, patch, result) => {
  expect(applyMergePatch(original as Record<string, unknown>, patch)).toEqual(result);
});

test.each([
  [[], 'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}'],
  ['x', 'error decoding patch: json: cannot unmarshal string into Go value of type map[string]interface {}'],
  [5, 'error decoding patch: json: cannot unmarshal number into Go value of type map[string]interface {}'],
  [true, 'error decoding patch: json: cannot unmarshal bool into Go value of type map[string]interface {}'],
  [null, 'Invalid JSON Patch'],
])('applyMergePatch() refuses %j', (patch, message) => {
  expect(() => applyMergePatch({}, patch)).toThrow(message);
  expect(() => applyMergePatch({}, patch)).toThrow(StatusError);
});

test('applyMergePatch() treats __proto__ as a key', () => {
  const patch = JSON.parse('{"a":{"__proto__":{"polluted":true}}}');
  expect(JSON.stringify(applyMergePatch({ a: {} }, patch))).toBe(JSON.stringify(patch));
  expect(JSON.stringify(applyMergePatch({}, patch))).toBe(JSON.stringify(patch));
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

const { object } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, fc.integer(), fc.constant(null), fc.array(fc.integer()), tie('object')),
  object: fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { maxKeys: 3 }),
}));
const document = object as fc.Arbitrary<Record<string, unknown>>;

test('applyMergePatch() twice is once, an empty patch changes nothing, and arguments stay as they were', () => {
  fc.assert(
    fc.property(document, document, (original, patch) => {
      const before = structuredClone([original, patch]);
      const once = applyMergePatch(original, patch);
      expect(applyMergePatch(once, patch)).toEqual(once);
      expect(applyMergePatch(original, {})).toEqual(original);
      expect([original, patch]).toEqual(before);
    }),
  );
});

test('applyMergePatch() of one object onto another and its nulls gives that object', () => {
  fc.assert(
    fc.property(document, document, (original, wanted) => {
      const without = applyMergePatch({}, wanted);
      const erase = Object.fromEntries(Object.keys(original).map((key) => [key, null]));
      const cleared = applyMergePatch(original, erase);
      expect(applyMergePatch(cleared, without)).toEqual(without);
    }),
  );
});
