import { expect, test } from 'vitest';
import { storageVersionMigrations } from './storage-version-migration.js';
import { created, createErrors, row, updateErrors } from './testing/write.js';

const migration = (resource: object) => ({ spec: { resource } });
const things = migration({ group: 'example.dev', resource: 'things' });

// what it says | what is wrong with it
const migrations: [object, string[]][] = [
  [things, []],
  [migration({ resource: 'pods' }), []],
  [{}, ['spec.resource.resource: Required value: resource is required to be set']],
  [
    migration({ group: 'A', resource: '1' }),
    [
      expect.stringContaining('spec.resource.resource: Invalid value: "1": a DNS-1035 label'),
      expect.stringContaining('spec.resource.group: Invalid value: "A": a lowercase RFC 1123 subdomain'),
    ],
  ],
];

test.each(migrations)('StorageVersionMigration %#', (object, errors) => {
  expect(createErrors(storageVersionMigrations, object)).toEqual(errors);
});

test('StorageVersionMigration is of one resource for good', () => {
  expect(updateErrors(storageVersionMigrations, things, migration({ resource: 'pods' }))).toEqual([
    'spec: Invalid value: {"Resource":{"group":"","resource":"pods"}}: field is immutable',
  ]);
});

const lastTransitionTime = '2026-01-01T00:00:00Z';
const is = (type: string, status = 'True') => ({ type, status, reason: 'R', message: '', lastTransitionTime });

test('StorageVersionMigration succeeds or fails once', () => {
  const old = {
    ...created(storageVersionMigrations, things),
    status: { conditions: [is('Succeeded')], resourceVersion: '5' },
  };
  const fields = (status: object) =>
    storageVersionMigrations
      .validateUpdate({ ...old, status }, old, 'status')
      .map(({ field, detail }) => `${field} ${detail}`);
  expect(fields({ conditions: [is('Succeeded'), is('Failed')], resourceVersion: '5' })).toEqual([
    'status.conditions Both success and failed conditions cannot be true at the same time',
  ]);
  expect(fields({ resourceVersion: '05' })).toEqual([
    'status.resourceVersion resource version is not well formed: 05',
    'status.resourceVersion field is immutable',
    'status.conditions Success condition cannot be set to false once it is true',
  ]);
  expect(row(storageVersionMigrations, old)).toEqual({
    NAME: 'it',
    RESOURCE: 'things.example.dev',
    STATUS: 'Succeeded',
  });
  const unknown = created(storageVersionMigrations, migration({ resource: 'pods' }));
  expect(row(storageVersionMigrations, unknown)).toMatchObject({ RESOURCE: 'pods', STATUS: 'Unknown' });
});
