import { expect, test } from 'vitest';
import { persistentVolumeClaims } from './persistent-volume-claim.js';
import { created, createErrors, updated } from './testing/write.js';

const claimed = (more: object) => ({
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...more },
});
const other = { apiGroup: null, kind: 'PersistentVolumeClaim', name: 'other' };
const snapshot = { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 's' };
const populator = { apiGroup: 'example.dev', kind: 'Backup', name: 'b' };

// what | what is said | what becomes of it
const filled: [string, object, object][] = [
  ['nothing', {}, {}],
  ['a claim', { dataSource: other }, { dataSource: other, dataSourceRef: other }],
  ['a snapshot', { dataSource: snapshot }, { dataSource: snapshot, dataSourceRef: snapshot }],
  ['a populator in the field that never had any', { dataSource: populator }, {}],
  ['a populator', { dataSourceRef: populator }, { dataSource: populator, dataSourceRef: populator }],
  ['a claim of another namespace', { dataSourceRef: { ...other, namespace: 'x' } }, {}],
  ['both', { dataSource: other, dataSourceRef: other }, { dataSource: other, dataSourceRef: other }],
];

test.each(filled)('both fields say from what a volume is filled: %s', (_what, said, is) => {
  const { dataSource, dataSourceRef } = created(persistentVolumeClaims, claimed(said)).spec;
  expect({ dataSource, dataSourceRef }).toEqual({ dataSource: undefined, dataSourceRef: undefined, ...is });
});

test('a claim keeps what it was filled from when its writer leaves it out of the newer field', () => {
  const old = created(persistentVolumeClaims, claimed({ dataSourceRef: populator }));
  const is = updated(persistentVolumeClaims, old, claimed({ dataSource: populator }));
  expect(is.spec).toMatchObject({ dataSource: populator, dataSourceRef: populator });
});

// what is said | what is wrong with it
const wrong: [object, string[]][] = [
  [
    { dataSourceRef: { kind: 'A', name: 'a' } },
    ['spec.dataSource: Invalid value: "A": must be \'Persis', 'dataSourceRef: Inv'],
  ],
  [{ dataSource: other, dataSourceRef: snapshot }, ['spec: Invalid value: {}: must match dataSourceRef']],
  [
    { dataSourceRef: { apiGroup: 'a b' } },
    ['dataSource.name', 'dataSource.kind', 'dataSource.apiGroup', 'Ref.name', 'Ref.kind', 'Ref.apiGroup'],
  ],
  [{ volumeAttributesClassName: 'A b' }, ['spec.volumeAttributesClassName: Invalid value: "A b"']],
];

test.each(wrong)('%j is refused', (said, says) => {
  const errors = createErrors(persistentVolumeClaims, claimed(said));
  expect(errors).toEqual(says.map((text) => expect.stringContaining(text)));
});
