import { expect, test } from 'vitest';
import { storageClasses } from './storage-class.js';
import { created, createErrors, row, updateErrors } from './testing/write.js';

const storageClass = (more: object = {}) => ({ provisioner: 'example.com/disks', ...more });

test('StorageClass gets the defaults that Kubernetes gives', () => {
  expect(created(storageClasses, storageClass())).toMatchObject({
    reclaimPolicy: 'Delete',
    volumeBindingMode: 'Immediate',
  });
});

// class | what is wrong with it
const invalidClasses: [object, string[]][] = [
  [storageClass(), []],
  [{}, ['provisioner: Required value']],
  [
    storageClass({ reclaimPolicy: 'Recycle', volumeBindingMode: 'Later' }),
    [
      'reclaimPolicy: Unsupported value: "Recycle": supported values: "Delete", "Retain"',
      'volumeBindingMode: Unsupported value: "Later": supported values: "Immediate", "WaitForFirstConsumer"',
    ],
  ],
];

test.each(invalidClasses)('StorageClass of %j', (object, errors) => {
  expect(createErrors(storageClasses, object)).toEqual(errors);
});

test('StorageClass stays what it is', () => {
  const changed = storageClass({
    provisioner: 'example.com/tapes',
    parameters: { a: 'b' },
    volumeBindingMode: 'WaitForFirstConsumer',
  });
  expect(updateErrors(storageClasses, storageClass(), changed)).toEqual([
    'parameters: Invalid value: null: field is immutable',
    'provisioner: Invalid value: null: field is immutable',
    'volumeBindingMode: Invalid value: null: field is immutable',
  ]);
});

test('StorageClass shows which one is the default', () => {
  const metadata = { name: 'it', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } };
  const shown = row(storageClasses, created(storageClasses, storageClass({ metadata, allowVolumeExpansion: true })));
  expect(shown).toMatchObject({ NAME: 'it (default)', PROVISIONER: 'example.com/disks', ALLOWVOLUMEEXPANSION: true });
});
