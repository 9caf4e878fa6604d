import { body, configMap, configMaps, type HostileInput, many, withMetadata } from './input.js';

const applyPatch = body('application/apply-patch+yaml');

const applied = (what: string, text: string): HostileInput => ({
  what,
  method: 'PATCH',
  path: `${configMaps}/applied?fieldManager=bench`,
  headers: applyPatch,
  body: text,
});

const fieldsOf = (count: number) => `{"f:data":{${many(count, (index) => `"f:k${index}":{}`)}}}`;
const managed = (manager: string, fields: string) =>
  `{"manager":"${manager}","operation":"Update","apiVersion":"v1","time":"2026-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":${fields}}`;

/** Applies, and objects that say who owns their fields. */
export const hostileOwnership: readonly HostileInput[] = [
  applied(
    'an apply of 100,000 fields',
    configMap(`,"data":{${many(100_000, (index) => `"k${index}":"v"`)}}`, 'applied'),
  ),
  applied(
    'the same in YAML',
    `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: applied}\ndata:\n${many(100_000, (index) => `  k${index}: v`, '\n')}`,
  ),
  applied(
    'an apply of 30,000 list elements',
    withMetadata(`"finalizers":[${many(30_000, (index) => `"a.b/f${index}"`)}]`, 'applied'),
  ),
  {
    what: 'managedFields of 3 MiB in one entry',
    body: withMetadata(`"managedFields":[${managed('m', fieldsOf(200_000))}]`, 'managed1'),
  },
  {
    what: 'managedFields of 15,000 managers',
    body: withMetadata(
      `"managedFields":[${many(15_000, (index) => managed(`m${index}`, '{"f:data":{}}'))}]`,
      'managed2',
    ),
  },
  {
    what: 'managedFields 5,000 deep',
    body: withMetadata(
      `"managedFields":[${managed('m', `${'{"f:a":'.repeat(5_000)}{}${'}'.repeat(5_000)}`)}]`,
      'managed3',
    ),
  },
  {
    what: 'managedFields of 9,000 managers with a field each',
    body: withMetadata(
      `"managedFields":[${many(9_000, (index) => managed(`m${index}`, `{"f:data":{"f:k${index}":{}}}`))}]`,
      'managed4',
    ),
  },
  {
    what: 'managedFields of 7,000 appliers beside 10,000 fields',
    body: `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"managed5","managedFields":[${many(7_000, (index) => managed(`m${index}`, `{"f:data":{"f:k${index}":{}}}`).replace('Update', 'Apply'))}]},"data":{${many(10_000, (index) => `"k${index}":"v"`)}}}`,
  },
];
