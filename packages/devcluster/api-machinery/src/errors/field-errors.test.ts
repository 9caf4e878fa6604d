import { expect, test } from 'vitest';
import type { FieldError } from './field-error.js';
import { describeFieldErrors, firstErrors, toCauses } from './field-errors.js';

// error | what is printed
const errors: [FieldError, string][] = [
  [{ type: 'Required', field: 'spec.a', detail: '' }, 'spec.a: Required value'],
  [{ type: 'Required', field: 'spec.a', detail: 'say why' }, 'spec.a: Required value: say why'],
  [{ type: 'Invalid', field: 'a', value: -1, detail: 'must be more' }, 'a: Invalid value: -1: must be more'],
  [{ type: 'Invalid', field: 'a', value: 'x"y', detail: 'no' }, 'a: Invalid value: "x\\"y": no'],
  [{ type: 'Invalid', field: 'a', value: undefined, detail: 'no' }, 'a: Invalid value: null: no'],
  [{ type: 'Duplicate', field: 'a[1]', value: { b: 1 }, detail: '' }, 'a[1]: Duplicate value: {"b":1}'],
  [
    { type: 'TooLong', field: '', detail: 'may not be more than 9 bytes' },
    '[]: Too long: may not be more than 9 bytes',
  ],
  [{ type: 'Forbidden', field: 'a', value: 1, detail: 'not now' }, 'a: Forbidden: not now'],
  [
    { type: 'NotSupported', field: 'a', value: 'x', detail: 'supported values: "y"' },
    'a: Unsupported value: "x": supported values: "y"',
  ],
];

test.each(errors)('describeFieldErrors(%o)', (error, printed) => {
  expect(describeFieldErrors([error])).toBe(printed);
});

test('several errors are printed in brackets, each once, and are causes as often as they came', () => {
  const one: FieldError = { type: 'Required', field: 'a', detail: '' };
  const other: FieldError = { type: 'Required', field: 'b', detail: '' };
  expect(describeFieldErrors([one, other, one])).toBe('[a: Required value, b: Required value]');
  expect(toCauses([one, one])).toHaveLength(2);
  expect(toCauses([one])).toEqual([{ reason: 'FieldValueRequired', message: 'Required value', field: 'a' }]);
});

test('a value of megabytes is shown by its beginning', () => {
  const text = 'z'.repeat(3_000_000);
  for (const value of [text, { text }]) {
    const printed = describeFieldErrors([{ type: 'Invalid', field: 'a', value, detail: 'must be less' }]);
    expect(printed.replace(/z+/, 'z')).toMatch(/^a: Invalid value: ("z…"|\{"text":"z…): must be less$/);
    expect(printed.length).toBeGreaterThan(65_000);
    expect(printed.length).toBeLessThan(66_000);
  }
});

test('firstErrors() leaves out errors that make the message too long, though never the first one', () => {
  const list = Array.from({ length: 20_000 }, (_, index) => `owner ${index}`);
  const errors = list.map((): FieldError => ({ type: 'Invalid', field: 'a', value: list, detail: 'only one' }));
  expect(firstErrors(errors, 1_000).length).toBeLessThan(20);
  expect(firstErrors(errors, 1)).toEqual(errors.slice(0, 1));
});

test('firstErrors() leaves out errors that do not fit, whether their field or their detail is long', () => {
  const long = 'x'.repeat(300_000);
  const at = (field: string, detail: string): FieldError => ({ type: 'Required', field, detail });
  expect(firstErrors(Array(20).fill(at(long, '')), 1_000)).toHaveLength(3);
  expect(firstErrors(Array(20).fill(at('a', long)), 1_000)).toHaveLength(3);
  expect(firstErrors([at(long.repeat(9), ''), at('a', '')], 1_000)).toHaveLength(1);
});
