import { expect, test } from 'vitest';
import { runToCompletion } from '../event-loop/resumable.js';
import { capUpdaters } from './cap-updaters.js';
import { decodeManagers, encodeManagers, identityOf, type ManagedFieldsEntry, type Owned } from './managers.js';

const entry: ManagedFieldsEntry = {
  manager: 'm',
  operation: 'Update',
  apiVersion: 'v1',
  time: '2026-01-01T00:00:00Z',
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:data': { '.': {}, 'f:a': {} } },
};

// what is wrong | entry | message
const unreadable: [string, object, string][] = [
  ['no operation', { ...entry, operation: undefined }, 'operation must be `Apply` or `Update`'],
  ['another operation', { ...entry, operation: 'Delete' }, 'operation must be `Apply` or `Update`'],
  ['no version', { ...entry, apiVersion: '' }, 'apiVersion must not be empty'],
  ['no type', { ...entry, fieldsType: undefined }, 'missing fieldsType in managed fields entry 0'],
  ['another type', { ...entry, fieldsType: 'FieldsV2' }, 'invalid fieldsType "FieldsV2" in managed fields entry 0'],
  ['fields that are no fields', { ...entry, fieldsV1: { spec: {} } }, 'fieldsV1: "spec" is not a path element'],
  ['fields that are no object', { ...entry, fieldsV1: { 'f:a': 1 } }, 'fieldsV1 must be an object of objects'],
];

test.each(unreadable)('decodeManagers() refuses %s', (_, wrong, message) => {
  expect(() => runToCompletion(decodeManagers([wrong]))).toThrow(message);
});

test('decodeManagers() leaves out what a later version may know, and nothing else', () => {
  const future = { ...entry, fieldsV1: { 'f:data': { 'f:a': {}, 'q:what': { 'f:b': {} } }, 'k:{"b":1,"a":2}': {} } };
  expect(runToCompletion(encodeManagers(runToCompletion(decodeManagers([future]))))?.[0]?.fieldsV1).toEqual({
    'f:data': { 'f:a': {} },
    'k:{"a":2,"b":1}': {},
  });
});

test('encodeManagers() writes appliers first, then the oldest, then by name', () => {
  const one = (manager: string, operation: string, time?: string) => ({ ...entry, manager, operation, time });
  const sent = [
    one('b', 'Update', '2026-01-01T00:00:01Z'),
    one('z', 'Update', '2026-01-01T00:00:00Z'),
    one('a', 'Update', '2026-01-01T00:00:01Z'),
    one('late', 'Apply', '2026-01-01T00:00:02Z'),
    one('never', 'Apply'),
  ];
  const names = runToCompletion(encodeManagers(runToCompletion(decodeManagers(sent))))?.map(({ manager }) => manager);
  expect(names).toEqual(['never', 'late', 'z', 'a', 'b']);
});

test('appliers are one manager whatever version they apply; updaters are one per version', () => {
  const applier = { name: 'm', operation: 'Apply', subresource: '' } as const;
  const updater = { name: 'm', operation: 'Update', subresource: '' } as const;
  expect(identityOf(applier, 'a/v1')).toBe(identityOf(applier, 'a/v2'));
  expect(identityOf(updater, 'a/v1')).not.toBe(identityOf(updater, 'a/v2'));
  expect(identityOf(updater, 'a/v1')).not.toBe(identityOf({ ...updater, subresource: 'status' }, 'a/v1'));
});

test('capUpdaters() puts the oldest updaters of a version together and keeps every applier', () => {
  const many = Array.from({ length: 12 }, (_, index): [string, Owned] => {
    const operation = index < 2 ? 'Apply' : 'Update';
    const owned: Owned = {
      name: `m${String(index).padStart(2, '0')}`,
      operation,
      subresource: '',
      apiVersion: index === 3 ? 'v2' : 'v1',
      fields: { [`f:${index}`]: {} },
      time: `2026-01-01T00:00:${String(index).padStart(2, '0')}Z`,
    };
    return [identityOf(owned, owned.apiVersion), owned];
  });
  expect(runToCompletion(capUpdaters(new Map(many))).size).toBe(12);
  const [, last] = many.at(-1) as [string, Owned];
  const more = new Map(many).set('one more', {
    ...last,
    name: 'm12',
    fields: { 'f:12': {} },
    time: '2026-01-01T00:00:12Z',
  });
  const capped = runToCompletion(encodeManagers(runToCompletion(capUpdaters(more)))) ?? [];
  expect(capped.filter(({ operation }) => operation === 'Apply')).toHaveLength(2);
  expect(capped.filter(({ operation }) => operation === 'Update')).toHaveLength(10);
  expect(capped.find(({ manager }) => manager === 'ancient-changes')).toMatchObject({
    apiVersion: 'v1',
    time: '2026-01-01T00:00:04Z',
    fieldsV1: { 'f:2': {}, 'f:4': {} },
  });
});

test('capUpdaters() of thousands of managers loses no field of any', () => {
  const many = new Map(
    Array.from({ length: 3_000 }, (_, index): [string, Owned] => {
      const time = new Date(Date.UTC(2026, 0, 1) + ((index * 7) % 3_000) * 1_000).toISOString();
      const manager = { name: `m${index}`, operation: 'Update', subresource: '' } as const;
      const owned = { ...manager, apiVersion: 'v1', fields: { [`f:${index}`]: {} }, time };
      return [identityOf(owned, 'v1'), owned];
    }),
  );
  const capped = [...runToCompletion(capUpdaters(many)).values()];
  expect(capped).toHaveLength(10);
  expect(new Set(capped.flatMap(({ fields }) => Object.keys(fields))).size).toBe(3_000);
  expect(capped.filter(({ name }) => name === 'ancient-changes')).toHaveLength(1);
});
