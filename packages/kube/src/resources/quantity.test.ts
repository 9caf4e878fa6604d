import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  addQuantity,
  compareQuantity,
  formatQuantity,
  maxQuantity,
  milli,
  milliQuantity,
  parseQuantity,
  type Quantity,
  QuantityError,
  quantity,
  subtractQuantity,
  wholeUnits,
} from './quantity.js';

// as written | canonical
const canonical: [string | number, string][] = [
  ['0', '0'],
  ['0Mi', '0'],
  ['100m', '100m'],
  ['0.1', '100m'],
  ['1000m', '1'],
  ['1500m', '1500m'],
  ['1.5', '1500m'],
  [2, '2'],
  [0.5, '500m'],
  ['1024', '1024'],
  ['1024Ki', '1Mi'],
  ['1.5Gi', '1536Mi'],
  ['0.5Gi', '512Mi'],
  ['0.5Ki', '512'],
  ['1.1Ki', '1126400m'],
  ['1000Ki', '1000Ki'],
  ['1024Mi', '1Gi'],
  ['1Ei', '1Ei'],
  ['12e6', '12e6'],
  ['1200e3', '1200e3'],
  ['1E3', '1e3'],
  ['1E', '1E'],
  ['1e0', '1'],
  ['15e-1', '1500e-3'],
  ['123456789', '123456789'],
  ['1000000', '1M'],
  ['1.0M', '1M'],
  ['+5', '5'],
  ['-5', '-5'],
  ['-0', '0'],
  ['.5', '500m'],
  ['5.', '5'],
  ['1n', '1n'],
  ['0.1n', '1n'],
  ['-0.1n', '-1n'],
  ['1u', '1u'],
  ['0.0000000001', '1n'],
  ['1e-400000', '1e-9'],
  ['1e400000', '9223372036854775807'],
  ['9223372036854775808', '9223372036854775808'],
  ['10E', '10E'],
  ['8Ei', '9223372036854775807'],
  // Kubernetes takes what has no digits for nothing.
  ['.', '0'],
  ['-', '0'],
  ['m', '0'],
  ['Ki', '0'],
  ['e3', '0'],
];

test.each(canonical)('formatQuantity(parseQuantity(%j)) is %s', (text, expected) => {
  expect(formatQuantity(parseQuantity(text))).toBe(expected);
});

// as written | why not
const wrong: [string, string][] = [
  ['', 'quantities must match the regular expression'],
  ['1.2.3', 'quantities must match the regular expression'],
  ['abc', 'quantities must match the regular expression'],
  ['1 Gi', 'quantities must match the regular expression'],
  ['--1', "unable to parse quantity's suffix"],
  ['1X', "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
  ['1K', "unable to parse quantity's suffix"],
  ['1mi', "unable to parse quantity's suffix"],
];

test.each(wrong)('parseQuantity(%j) throws', (text, message) => {
  expect(() => parseQuantity(text)).toThrow(QuantityError);
  expect(() => parseQuantity(text)).toThrow(message);
});

test('milli() and wholeUnits() round away from zero', () => {
  expect(milli(parseQuantity('0.0001'))).toBe(1n);
  expect(milli(parseQuantity('2'))).toBe(2000n);
  expect(wholeUnits(parseQuantity('1500m'))).toBe(2n);
  expect(wholeUnits(parseQuantity('-1500m'))).toBe(-2n);
  expect(wholeUnits(parseQuantity('1Gi'))).toBe(1024n ** 3n);
});

test('compareQuantity() compares amounts, not texts', () => {
  expect(compareQuantity(parseQuantity('1024Mi'), parseQuantity('1Gi'))).toBe(0);
  expect(compareQuantity(parseQuantity('1G'), parseQuantity('1Gi'))).toBe(-1);
  expect(compareQuantity(quantity(1), milliQuantity(999))).toBe(1);
});

const anyQuantity = fc
  .record({
    whole: fc.bigInt({ min: -(10n ** 6n), max: 10n ** 6n }),
    fraction: fc.option(fc.stringMatching(/^[0-9]{1,6}$/), { nil: undefined }),
    suffix: fc.constantFrom('', 'n', 'u', 'm', 'k', 'M', 'G', 'Ki', 'Mi', 'Gi', 'e3', 'e-3', 'E6'),
  })
  .map(({ whole, fraction, suffix }) => `${whole}${fraction === undefined ? '' : `.${fraction}`}${suffix}`)
  .map((text): Quantity => parseQuantity(text));

test('what formatQuantity() writes, parseQuantity() reads back exactly, and it is canonical', () => {
  fc.assert(
    fc.property(anyQuantity, (amount) => {
      const text = formatQuantity(amount);
      expect(parseQuantity(text).nano).toBe(amount.nano);
      expect(formatQuantity(parseQuantity(text))).toBe(text);
      expect(text).not.toContain('.');
    }),
  );
});

test('sums and differences are exact, and the order fits them', () => {
  fc.assert(
    fc.property(anyQuantity, anyQuantity, anyQuantity, (a, b, c) => {
      expect(addQuantity(a, b).nano).toBe(addQuantity(b, a).nano);
      expect(addQuantity(addQuantity(a, b), c).nano).toBe(addQuantity(a, addQuantity(b, c)).nano);
      expect(subtractQuantity(addQuantity(a, b), b).nano).toBe(a.nano);
      expect(compareQuantity(a, b)).toBe(-compareQuantity(b, a) + 0);
      expect(compareQuantity(maxQuantity(a, b), a)).toBeGreaterThanOrEqual(0);
      expect(milli(a) * 1_000_000n >= a.nano || a.nano < 0n).toBe(true);
    }),
  );
});
