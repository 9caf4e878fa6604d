import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exactInteger, parseJson, stringifyJson } from './exact-json.js';

// text | what it is read as
const read: [string, unknown][] = [
  ['9007199254740991', 9007199254740991],
  ['9007199254740992', 9007199254740992n],
  ['-9223372036854775808', -9223372036854775808n],
  // Go reads what does not fit into 64 bits as a float.
  ['9223372036854775808', 9223372036854776000],
  ['9007199254740993.0', 9007199254740992],
  ['[0.1234567890123456789,-0.00000101850971772]', [0.12345678901234568, -0.00000101850971772]],
  ['9007199254740993e0', 9007199254740992],
  ['"9007199254740993"', '9007199254740993'],
  ['{"9007199254740993":"\\"9007199254740993"}', { '9007199254740993': '"9007199254740993' }],
  ['["~9007199254740993",9007199254740993]', ['~9007199254740993', 9007199254740993n]],
];

test.each(read)('parseJson(%s)', (text, value) => {
  expect(parseJson(text)).toEqual(value);
});

test('parseJson() complains as JSON.parse() does, long numbers or not', () => {
  expect(() => parseJson('[9007199254740993')).toThrow(SyntaxError);
  expect(() => parseJson('[09007199254740993]')).toThrow(SyntaxError);
});

test('whatever is written is read again, with every digit', () => {
  const { json } = fc.letrec((tie) => ({
    json: fc.oneof({ maxDepth: 3 }, tie('leaf'), fc.array(tie('json')), fc.dictionary(fc.string(), tie('json'))),
    leaf: fc.oneof(
      fc.string(),
      fc.constantFrom('~', '"~1"', '\\~9007199254740993', '9007199254740993'),
      fc.boolean(),
      fc.constant(null),
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(exactInteger),
    ),
  }));
  fc.assert(
    fc.property(json, fc.constantFrom(undefined, 2), (value, indent) => {
      expect(parseJson(stringifyJson(value, indent))).toEqual(value);
    }),
  );
});
