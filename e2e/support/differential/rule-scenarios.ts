import fc from 'fast-check';
import { expressionOf, type OwnLeaves } from './cel-scenarios.js';
import type { Scenario, Step } from './scenarios.js';
import { aThing, defineThings, sendJson, things } from './things.js';

/** A kind of value that rules are about: its schema, what stands for it in expressions, and values, some of which do not fit. */
interface Subject {
  readonly schema: object;
  readonly own: OwnLeaves;
  readonly values: readonly unknown[];
}

const texts = ['', 'a', 'b', 'abc', 'a,b', '10.0.0.1', 'x'.repeat(21), 5, null];
const text = { type: 'string', maxLength: 20 };
const subjects: readonly Subject[] = [
  { schema: text, own: { string: ['self'], int: ['size(self)'] }, values: texts },
  { schema: { ...text, nullable: true }, own: { string: ['self'] }, values: texts },
  { schema: { ...text, enum: ['a', 'b', 'abc'] }, own: { string: ['self'] }, values: texts },
  { schema: { ...text, default: 'b' }, own: { string: ['self'] }, values: texts },
  {
    schema: { type: 'string', format: 'date-time' },
    own: { timestamp: ['self'] },
    values: ['2024-01-01T00:00:00Z', '2024-02-29T12:34:56.789+05:30', '2024-01-01', 'x', ''],
  },
  {
    schema: { type: 'string', format: 'date' },
    own: { timestamp: ['self'] },
    values: ['2024-01-01', '2024-02-29', '2024-01-01T00:00:00Z', 'x'],
  },
  {
    schema: { type: 'string', format: 'duration' },
    own: { duration: ['self'] },
    values: ['1h', '90s', '1h30m', '5', 'x', '1 hour'],
  },
  {
    schema: { type: 'string', format: 'byte', maxLength: 20 },
    own: { bytes: ['self'] },
    values: ['YQ==', 'YWI=', '', 'x!'],
  },
  { schema: { type: 'integer' }, own: { int: ['self'] }, values: [0, 1, -5, 9007199254740992, 1.5, 'a'] },
  { schema: { type: 'integer', format: 'int32' }, own: { int: ['self'] }, values: [0, 1, 2147483648, -1] },
  { schema: { type: 'number' }, own: { double: ['self'] }, values: [0, 1, 1.5, -2.25, 1e21, 'a'] },
  { schema: { type: 'boolean' }, own: { bool: ['self'] }, values: [true, false, 'true'] },
  {
    schema: { type: 'array', maxItems: 4, items: { type: 'string', maxLength: 5 } },
    own: { strings: ['self'], string: ['self[0]', 'self.join()'], int: ['self.size()'] },
    values: [[], ['a'], ['b', 'a'], ['a', 'a'], ['abcdef'], ['a', 5], 'a', [null]],
  },
  {
    schema: { type: 'array', maxItems: 4, items: { type: 'integer' }, 'x-kubernetes-list-type': 'set' },
    own: { ints: ['self'], int: ['self[0]', 'self.sum()'] },
    values: [[], [1], [2, 1], [1, 1], [1, 2, 3]],
  },
  {
    schema: {
      type: 'array',
      maxItems: 4,
      items: {
        type: 'object',
        properties: { k: { type: 'string', maxLength: 3 }, n: { type: 'integer' } },
        required: ['k'],
      },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
    },
    own: {
      string: ['self[0].k'],
      int: ['self[0].n', 'self.map(x, x.n)[0]', 'self.size()'],
      anys: ['self'],
      bool: ['self.all(x, has(x.n))', "self.exists(x, x.k == 'a')"],
      ints: ['self.map(x, x.n)'],
    },
    values: [[], [{ k: 'a', n: 1 }], [{ k: 'b' }, { k: 'a', n: 2 }], [{ k: 'a' }, { k: 'a' }], [{ n: 1 }]],
  },
  {
    schema: {
      type: 'object',
      properties: {
        a: { type: 'string', maxLength: 5 },
        n: { type: 'integer' },
        l: { type: 'array', maxItems: 3, items: { type: 'integer' } },
        'x-y': { type: 'integer' },
      },
    },
    own: {
      string: ['self.a', "self.?a.orValue('z')"],
      int: ['self.n', 'self.?n.orValue(3)', 'self.x__dash__y'],
      ints: ['self.l'],
      bool: ['has(self.a)', 'has(self.n)', 'has(self.l)', '!has(self.a)'],
      optional: ['self.?n'],
      optionalText: ['self.?a'],
    },
    values: [
      {},
      { a: 'a' },
      { a: 'abc', n: 1 },
      { n: 2, l: [1, 2] },
      { a: 'a', 'x-y': 5 },
      { a: null },
      { n: 'a' },
      { b: 1 },
    ],
  },
  {
    schema: { type: 'object', maxProperties: 3, additionalProperties: { type: 'integer' } },
    own: { map: ['self'], int: ["self['a']", 'self.size()', 'self.a'], optional: ["self[?'a']"] },
    values: [{}, { a: 1 }, { a: 1, b: 2 }, { 'x y': 3 }, { a: 'x' }, { a: 1, b: 2, c: 3, d: 4 }],
  },
  {
    schema: { 'x-kubernetes-int-or-string': true },
    own: { int: ['self', 'int(self)'], string: ['self', 'string(self)'], type: ['type(self)'] },
    values: [5, 'a', '50%', true, 1.5],
  },
  {
    schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    own: { anyMap: ['self'], int: ['self.n'], string: ['self.a'], bool: ['has(self.a)'] },
    values: [{}, { a: 'a' }, { n: 1 }, { a: { b: 1 } }],
  },
  {
    schema: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
    own: { string: ['self.kind', 'self.metadata.name', 'self.apiVersion'] },
    values: [{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } }, { kind: 'Pod' }, {}],
  },
];

/** The same texts, some of them about the value before. */
function withOld(own: OwnLeaves): OwnLeaves {
  const both = Object.entries(own).map(([type, list]) => [
    type,
    list.flatMap((each) => [each, each.replaceAll(/\bself\b/g, 'oldSelf')]),
  ]);
  return Object.fromEntries(both);
}

function rule(own: OwnLeaves): fc.Arbitrary<object> {
  const more = fc.record(
    {
      messageExpression: fc.oneof(expressionOf('string', 1, own), fc.constant("'said'")),
      message: fc.constantFrom('none', 'two words'),
      reason: fc.constantFrom('FieldValueForbidden', 'FieldValueRequired', 'FieldValueDuplicate'),
    },
    { requiredKeys: [] },
  );
  const plain = fc.tuple(expressionOf('bool', 2, own), more);
  const change = fc.tuple(expressionOf('bool', 2, withOld(own)), more, fc.constantFrom(undefined, true, false));
  return fc.oneof(
    { weight: 2, arbitrary: plain.map(([text, given]) => ({ rule: text, ...given })) },
    {
      weight: 1,
      arbitrary: change.map(([text, given, isOptional]) => ({
        rule: text,
        ...given,
        ...(text.includes('oldSelf') && isOptional !== undefined && { optionalOldSelf: isOptional }),
      })),
    },
  );
}

/** A field with its rules, and values for it. */
const field = fc.constantFrom(...subjects).chain(({ schema, own, values }) =>
  fc.record({
    schema: fc.array(rule(own), { minLength: 1, maxLength: 2 }).map((rules) => ({
      ...schema,
      'x-kubernetes-validations': rules,
    })),
    values: fc.array(fc.constantFrom(...values), { minLength: 3, maxLength: 3 }),
  }),
);

/** Scenarios of rules about fields: an object is created, and then changed in the ways that there are. */
export const ruleScenario: fc.Arbitrary<Scenario> = fc
  .record({
    fields: fc.array(field, { minLength: 1, maxLength: 3 }),
    given: fc.array(fc.subarray([0, 1, 2]), { minLength: 3, maxLength: 3 }),
    ways: fc.array(fc.constantFrom('PUT', 'merge', 'apply', 'POST'), { minLength: 2, maxLength: 2 }),
  })
  .map(({ fields, given, ways }) => {
    const properties = Object.fromEntries(fields.map(({ schema }, index) => [`e${index}`, schema]));
    const specOf = (at: number) =>
      Object.fromEntries(
        fields.flatMap(({ values }, index) => (given[at]?.includes(index) ? [[`e${index}`, values[at]]] : [])),
      );
    const steps = ways.map((way, index): Step => {
      const spec = specOf(index + 1);
      if (way === 'POST') return sendJson('POST', `${things}?dryRun=All`, aThing({ spec }));
      if (way === 'PUT') return sendJson('PUT', `${things}/a`, aThing({ spec }));
      if (way === 'merge') return sendJson('PATCH', `${things}/a`, { spec }, 'application/merge-patch+json');
      const path = `${things}/a?fieldManager=m&force=true`;
      return sendJson('PATCH', path, aThing({ spec }), 'application/apply-patch+yaml');
    });
    const create = sendJson('POST', things, aThing({ spec: specOf(0) }));
    return { kind: 'rules', steps: [defineThings({ spec: { type: 'object', properties } }), create, ...steps] };
  });
