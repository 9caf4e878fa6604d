import { parseJson, stringifyJson } from '@slipway/kube';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runToCompletion } from '../event-loop/resumable.js';
import { parsingJson } from './parse-in-slices.js';

/** Without a backslash: `JSON.parse` of Node 24 reads the name `"` as that where an object had one named so before. */
const names = fc.oneof(
  fc.constantFrom('a', 'b', '__proto__', 'constructor', '1', '"', '}', ','),
  fc.string().map((name) => name.replaceAll('\\', '')),
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.constantFrom<unknown>(null, true, -1.5e3, 2n ** 60n, '', '[', '{"', '\\"', 'ä'),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(names, tie('value'), { maxKeys: 5, noNullPrototype: true }),
  ),
}));
/** JSON with space wherever it may be. */
const spaced = fc.tuple(value, fc.constantFrom(undefined, 1)).map(([one, indent]) => stringifyJson(one, indent));
/** Nearly JSON: a piece of it is missing, is there twice, or is something else. */
const damaged = fc
  .tuple(spaced, fc.nat(), fc.nat(6), fc.constantFrom('', ',', '}', ']', '{', '[', ':', '"', ' ', '1', '{}', 'a'))
  .map(([text, from, length, put]) => {
    const at = from % (text.length + 1);
    return text.slice(0, at) + put + text.slice(at + length);
  });
const slices = fc.integer({ min: 1, max: 20 });

function outcome(parse: () => unknown): string {
  try {
    return fc.stringify(parse());
  } catch (error) {
    if (error instanceof SyntaxError) return 'no JSON';
    throw error;
  }
}

test('parsingJson() in slices of any length agrees with parseJson(), also about what is not JSON', () => {
  fc.assert(
    fc.property(fc.oneof(spaced, damaged), slices, fc.boolean(), (text, length, isFrozen) => {
      const sliced = () => runToCompletion(parsingJson(text, { length, isFrozen })).value;
      expect(outcome(sliced)).toBe(outcome(() => parseJson(text)));
    }),
    { numRuns: 2_000 },
  );
});

// text | whether a name is given twice
test.each([
  ['{"a":1,"b":{"c":2,"d":[{"e":3},{"e":4}]}}', false],
  ['{"a":1,"a":2}', true],
  ['{"a":{"b":1,"c":2},"a":{"b":1}}', true],
  ['[{"a":1},{"a":1}]', false],
  ['[{"b":[{"a":1,"c":2,"a":1}]}]', true],
])('parsingJson() of %s counts fewer names than it has, in slices of any length: %s', (text, isTwice) => {
  const inText = text.split(':').length - 1;
  for (let length = 1; length <= text.length; length++) {
    expect(runToCompletion(parsingJson(text, { length })).names < inText).toBe(isTwice);
  }
});

test('parsingJson() freezes all of a value when asked to', () => {
  const isFrozenThrough = (one: unknown): boolean =>
    typeof one !== 'object' || one === null || (Object.isFrozen(one) && Object.values(one).every(isFrozenThrough));
  fc.assert(
    fc.property(value, slices, (one, length) => {
      expect(isFrozenThrough(runToCompletion(parsingJson(stringifyJson(one), { length, isFrozen: true })).value)).toBe(
        true,
      );
    }),
  );
});

test('parsingJson() yields within objects and lists of 90,000 members, wherever they are', () => {
  const many = Array.from({ length: 90_000 }, (_, index) => `k${index}`);
  const text = stringifyJson({ a: [{ b: Object.fromEntries(many.map((key) => [key, 'v'])) }], c: many });
  const steps = [...parsingJson(text)];
  expect(steps.length).toBeGreaterThan(text.length / (64 * 1024));
});
