import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Reference } from '../api/feature-definition.js';
import { checkDefinition } from '../catalogue/check-definition.js';
import { builtInTasks, TaskCatalog } from '../catalogue/task-catalog.js';
import { clearingPatch, entriesOf } from '../tasks/clear-object.js';
import { ownersOf } from './managers.js';
import { declaredDefault, fieldOf, type UsedField, usesOf } from './used-field.js';

const value = fc.oneof(fc.integer(), fc.string(), fc.boolean(), fc.record({ a: fc.integer(), b: fc.string() }));
const resource = { group: 'a.io', version: 'v1', kind: 'A', plural: 'as', namespaced: true, verbs: [] } as never;

test('usesOf() finds every value but the default, and only those are backed up and cleared', () => {
  fc.assert(
    fc.property(value, fc.array(fc.option(value, { nil: undefined })), (defaultValue, values) => {
      // Among others, the default itself, with its keys in another order.
      const same = typeof defaultValue === 'object' ? { b: defaultValue.b, a: defaultValue.a } : defaultValue;
      const items = [...values, same].map((fast, index) => ({ name: `${index}`, ...(fast !== undefined && { fast }) }));
      const object = { apiVersion: 'a.io/v1', kind: 'A', metadata: { name: 'a' }, spec: { items } };
      const field = fieldOf({ path: 'spec.items[*].fast', default: defaultValue }) as UsedField;
      const used = usesOf(field, object).map((place) => place[2]);
      const text = (fast: string | number | boolean | { a: number; b: string }) =>
        typeof fast === 'object' ? JSON.stringify([fast.a, fast.b]) : JSON.stringify(fast);
      const expected = items.flatMap(({ fast }, index) =>
        fast === undefined || (typeof fast === typeof defaultValue && text(fast) === text(defaultValue)) ? [] : [index],
      );
      expect(used).toEqual(expected);
      const clearing = { resource, field, pruneEmpty: [], match: [] };
      expect(entriesOf(object, clearing)).toHaveLength(expected.length);
      expect(clearingPatch(object, clearing).filter(({ op }) => op === 'remove')).toHaveLength(expected.length);
    }),
  );
});

test('declaredDefault() is the one of the reference with the same field and match', () => {
  const field = { group: '', resource: 'pods', path: 'spec.a' };
  const match = [{ path: 'spec.b', operator: 'Exists' }] as const;
  const references: readonly Reference[] = [
    { ...field, default: 1 },
    { ...field, match, default: 2 },
  ];
  const definition = { gate: 'A', components: [], references };
  expect(declaredDefault(definition, field)).toBe(1);
  expect(declaredDefault(definition, { ...field, match })).toBe(2);
  expect(declaredDefault(definition, { ...field, resource: 'nodes' })).toBeUndefined();
});

test('checkDefinition() reports a default without a path', () => {
  const references: readonly Reference[] = [{ group: '', resource: 'pods', kind: 'Object', default: 1 }];
  const definition = { gate: 'A', components: [{ name: 'a', roster: 'Self' }], references } as const;
  expect(checkDefinition(definition, new TaskCatalog(builtInTasks()))).toEqual([
    'the reference to pods has a default and no path: a default is that of a field',
  ]);
});

// place | managers that own it
test.each([
  [
    ['spec', 'fast'],
    ['whole', 'plain'],
  ],
  [
    ['spec', 'items', 0, 'fast'],
    ['whole', 'keyed'],
  ],
  [['spec', 'items', 1, 'fast'], ['whole']],
  [['spec', 'slow'], ['whole']],
])('ownersOf(%j) finds owners through lists', (place, owners) => {
  const managedFields = [
    { manager: 'whole', fieldsV1: { 'f:spec': {} } },
    { manager: 'plain', fieldsV1: { 'f:spec': { 'f:fast': {} } } },
    { manager: 'keyed', fieldsV1: { 'f:spec': { 'f:items': { 'k:{"name":"a"}': { '.': {}, 'f:fast': {} } } } } },
  ];
  const spec = {
    fast: 1,
    slow: 1,
    items: [
      { name: 'a', fast: 1 },
      { name: 'b', fast: 1 },
    ],
  };
  const object = { apiVersion: 'a.io/v1', kind: 'A', metadata: { name: 'a', managedFields }, spec } as never;
  expect(ownersOf(object, place)).toEqual(owners);
});
