import { describeFieldErrors } from '@slipway/api-machinery/errors/field-errors';
import { runToCompletion } from '@slipway/api-machinery/event-loop/resumable';
import type { JsonSchema } from '@slipway/api-machinery/schema/json-schema';
import { describe, expect, test } from 'vitest';
import { ruleValidator } from './validate-with-rules.js';

/** What the rules of a schema of `spec` say. */
function ask(spec: JsonSchema, value: unknown, old?: unknown): string {
  const rules = ruleValidator({ type: 'object', properties: { spec } });
  const before = old === undefined ? undefined : { spec: old };
  const found = rules ? runToCompletion(rules.errors({ spec: value }, before)) : [];
  return found.length === 0 ? '' : describeFieldErrors(found);
}

const rule = (text: string, more: object = {}) => ({ 'x-kubernetes-validations': [{ rule: text, ...more }] });
const strings: JsonSchema = { type: 'string', maxLength: 10 };

// what | schema | value | stored before | what the rules say
const cases: [string, JsonSchema, unknown, unknown, string][] = [
  [
    'a scalar is shown',
    { type: 'integer', ...rule('self > 1') },
    1,
    undefined,
    'spec: Invalid value: 1: failed rule: self > 1',
  ],
  [
    'an object is not',
    { type: 'object', properties: { a: strings }, ...rule('has(self.a)', { message: ' no a ' }) },
    {},
    undefined,
    'spec: Invalid value: no a',
  ],
  [
    'fieldPath leads to the field',
    {
      type: 'object',
      properties: { a: strings },
      ...rule('self.a != "x"', { fieldPath: '.a', reason: 'FieldValueForbidden' }),
    },
    { a: 'x' },
    undefined,
    'spec.a: Forbidden: failed rule: self.a != "x"',
  ],
  [
    'a message is computed',
    { type: 'integer', ...rule('self > 1', { message: 'm', messageExpression: "'got %d'.format([self])" }) },
    1,
    undefined,
    'spec: Invalid value: 1: got 1',
  ],
  [
    'a message that fails gives way',
    { type: 'integer', ...rule('self > 1', { message: 'm', messageExpression: 'string(1 / (self - 1))' }) },
    1,
    undefined,
    'spec: Invalid value: 1: m',
  ],
  [
    'a failure names the type',
    { type: 'integer', ...rule('1 / self > 0') },
    0,
    undefined,
    'spec: Invalid value: "integer": division by zero evaluating rule: 1 / self > 0',
  ],
  [
    'elements and entries have their places',
    { type: 'array', items: { type: 'object', additionalProperties: { ...strings, ...rule('self != "x"') } } },
    [{}, { k: 'x' }],
    undefined,
    'spec[1][k]: Invalid value: "x": failed rule: self != "x"',
  ],
  ['no old value, no transition', { ...strings, ...rule('self == oldSelf') }, 'a', undefined, ''],
  [
    'a transition',
    { ...strings, ...rule('self == oldSelf') },
    'b',
    'a',
    'spec: Invalid value: "b": failed rule: self == oldSelf',
  ],
  [
    'an optional old value',
    { type: 'integer', ...rule('oldSelf.hasValue() && oldSelf.value() < self', { optionalOldSelf: true }) },
    1,
    undefined,
    'spec: Invalid value: 1: failed rule: oldSelf.hasValue() && oldSelf.value() < self',
  ],
  ['what did not change is let pass', { ...strings, ...rule('self == "good"') }, 'bad', 'bad', ''],
  [
    'elements of a set have no order',
    { type: 'array', 'x-kubernetes-list-type': 'set', items: strings, ...rule('self == oldSelf') },
    ['b', 'a'],
    ['a', 'b'],
    '',
  ],
  [
    'elements of a map are found by their keys',
    {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['id'],
      items: { type: 'object', properties: { id: strings, n: { type: 'integer', ...rule('self >= oldSelf') } } },
    },
    [
      { id: 'b', n: 1 },
      { id: 'a', n: 2 },
    ],
    [
      { id: 'a', n: 2 },
      { id: 'b', n: 2 },
    ],
    'spec[0].n: Invalid value: 1: failed rule: self >= oldSelf',
  ],
  [
    'formats have types',
    { type: 'string', format: 'duration', ...rule("self <= duration('1h')") },
    '2h',
    undefined,
    `spec: Invalid value: "2h": failed rule: self <= duration('1h')`,
  ],
  ...(['namespace', '__namespace__'].map((name) => [
    `a field that is a keyword is called ${name}`,
    {
      type: 'object',
      properties: { namespace: strings },
      ...rule(`!has(self.${name}) || self.${name} == "a"`),
    },
    { namespace: 'b' },
    undefined,
    `spec: Invalid value: failed rule: !has(self.${name}) || self.${name} == "a"`,
  ]) as [string, JsonSchema, unknown, unknown, string][]),
  ['null is not asked about', { ...strings, nullable: true, ...rule('false') }, null, undefined, ''],
];
test.each(cases)('ruleValidator(): %s', (_, schema, value, old, said) => {
  expect(ask(schema, value, old)).toBe(said);
});

test('a rule that does not compile refuses every object', () => {
  expect(ask({ ...strings, ...rule('nope()') }, 'a')).toMatch(
    /^spec: Invalid value: "string": rule compile error: compilation failed: ERROR: <input>:1:5: undeclared reference/,
  );
});

test('null where a time is meant fails, and refuses', () => {
  const time: JsonSchema = { type: 'string', format: 'date-time', nullable: true };
  const schema: JsonSchema = { type: 'object', properties: { t: time }, ...rule('self.t.getHours() > 1') };
  expect(ask(schema, { t: null })).toMatch(/^spec: Invalid value: "object": 'no such overload': call arguments/);
});

test('ruleValidator() is undefined for a schema without rules', () => {
  expect(ruleValidator({ type: 'object', properties: { spec: strings } })).toBeUndefined();
});

test('ruleValidator().tolerated() tells what an update let pass', () => {
  const rules = ruleValidator({ type: 'object', properties: { a: { ...strings, ...rule('self == "good"') } } });
  expect(rules && runToCompletion(rules.errors({ a: 'bad', b: 1 }, { a: 'bad' }))).toEqual([]);
  expect(describeFieldErrors(rules ? runToCompletion(rules.tolerated({ a: 'bad', b: 1 }, { a: 'bad' })) : [])).toBe(
    'a: Invalid value: "bad": failed rule: self == "good"',
  );
  expect(rules && runToCompletion(rules.tolerated({ a: 'worse' }, { a: 'bad' }))).toEqual([]);
});

describe('a rule that costs too much', () => {
  const cubic = 'self.all(x, self.all(y, self.all(z, x + y + z >= 0)))';
  const numbers = (text: string, count: number): JsonSchema => ({
    type: 'array',
    items: { type: 'integer' },
    'x-kubernetes-validations': Array.from({ length: count }, () => ({ rule: text })),
  });
  const many = Array.from({ length: 60 }, () => 1);

  test('refuses the object, and ends the others', () => {
    const said = ask(numbers(cubic, 3), many);
    expect(said).toBe(
      'spec: Invalid value: "array": \'operation cancelled: actual cost limit exceeded\': ' +
        `no further validation rules will be run due to call cost exceeds limit for rule: ${cubic}`,
    );
  });

  test('together with others refuses the object, too', () => {
    const said = ask(numbers(cubic, 10), many.slice(0, 40));
    expect(said).toMatch(/^spec: Invalid value: validation failed due to running out of cost budget/);
  });
});

test('ruleValidator() yields while it looks through many values, for errors and for what is tolerated', () => {
  const item = { type: 'object', properties: { k: { ...strings, ...rule("self != 'x'") } } };
  const rules = ruleValidator({ type: 'object', properties: { a: { type: 'array', items: item } } });
  const many = { a: Array.from({ length: 10_000 }, () => ({ k: 'y' })) };
  for (const work of [rules?.errors(many, many), rules?.tolerated(many, many)]) {
    expect([...(work ?? [])].length).toBeGreaterThan(50);
  }
});
