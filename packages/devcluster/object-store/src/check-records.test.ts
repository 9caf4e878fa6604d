import { crc32 } from 'node:zlib';
import type { KubeObject } from '@slipway/kube';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkRecords } from './check-records.js';
import type { LogRecord } from './durable-log.js';
import { entryOf } from './entry.js';
import { recordText } from './record-text.js';

const aPod = (name: string, more: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'n', name, uid: `uid-${name}`, ...more },
});

function record(kind: LogRecord['kind'], revision: number, object: KubeObject, json?: string) {
  const entry = entryOf('pods', object, revision);
  const { resource, namespace, name } = entry;
  const text = recordText({ kind, revision, resource, namespace, name, json: json ?? entry.json });
  return { revision, text };
}

const owned = aPod('b', { ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'x', uid: 'owner' }] });
const story = [
  record('put', 1, aPod('a')),
  record('put', 2, owned),
  record('put', 3, aPod('c')),
  record('remove', 4, aPod('a'), ''),
  record('remove', 6, aPod('c')),
  record('put', 7, owned),
];

test('checkRecords() finds the objects that are there, and nothing wrong with them', () => {
  const { objects, ...contents } = checkRecords('store.mdb', story);
  expect(
    objects.map(({ resource, object }) => [resource, object.metadata.name, object.metadata.resourceVersion]),
  ).toEqual([['pods', 'b', '7']]);
  expect(contents).toMatchObject({ revision: 7, records: 6, damage: [] });
});

test('checkRecords() names every record that was changed, whatever was changed in it', () => {
  const change = fc.tuple(fc.nat({ max: story.length - 1 }), fc.nat(), fc.integer({ min: 1, max: 127 }));
  fc.assert(
    fc.property(change, ([at, position, bits]) => {
      const { revision = 0, text = '' } = story[at] ?? {};
      const index = position % text.length;
      const flipped = String.fromCharCode(text.charCodeAt(index) ^ bits);
      const changed = text.slice(0, index) + flipped + text.slice(index + 1);
      const { damage } = checkRecords('store.mdb', story.with(at, { revision, text: changed }));
      expect(damage).toHaveLength(1);
      expect(damage[0]?.where).toMatch(new RegExp(`^record ${revision}\\b`));
    }),
  );
});

test.each([
  ['that is not JSON', '{', 'it is not JSON'],
  ['that is not an object', '[]', 'it is not an object with metadata'],
  ['of another object', JSON.stringify(aPod('z')), 'the object is not the one its record is about'],
])('checkRecords() names a record %s although its checksum is right', (_what, json, what) => {
  expect(checkRecords('store.mdb', [record('put', 1, aPod('a'), json)]).damage).toEqual([
    { where: 'record 1, pods/n/a', what },
  ]);
});

test('checkRecords() reads records of before, which said more of their object', () => {
  const { json } = entryOf('pods', aPod('a'), 1);
  const facts = JSON.stringify(['put', 'pods', 'n', 'a', 'uid-a', 'uid-of-owner']);
  const text = `${crc32(json, crc32(facts))} ${facts}\n${json}`;
  const { objects, damage } = checkRecords('store.mdb', [{ revision: 1, text }]);
  expect([objects.map(({ object }) => object.metadata.name), damage]).toEqual([['a'], []]);
});
