import { freezing } from '@slipway/api-machinery/event-loop/freezing';
import { runToCompletion } from '@slipway/api-machinery/event-loop/resumable';
import { type KubeObject, stringifyJson } from '@slipway/kube';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { entryOf, StoredEntry, tombstoneOf } from './entry.js';
import { ParsedObjects } from './parsed-objects.js';
import { encodingParts } from './part-texts.js';

const configMap = (): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'c', namespace: 'default' },
  data: { a: 'b' },
});

test('entryOf() an object that is frozen has its parts, and what it says at its revision', () => {
  const object = configMap();
  Object.freeze(object.data);
  Object.freeze(object.metadata);
  const entry = entryOf('configmaps', Object.freeze(object), 7);
  expect(entry.object.data).toBe(object.data);
  expect(entry.object).toEqual(JSON.parse(entry.json));
  expect(entry.object.metadata.resourceVersion).toBe('7');
  expect([entry.object, entry.object.metadata].every(Object.isFrozen)).toBe(true);
});

test('entryOf() an object that may still change is not changed by that', () => {
  const object = configMap();
  const entry = entryOf('configmaps', object, 7);
  object.data.a = 'c';
  expect(entry.object.data).toEqual({ a: 'b' });
});

test.each([true, false])(
  'tombstoneOf() is the last state at its revision, whether somebody has that one (%s) or not',
  (isHeld) => {
    const object = configMap();
    object.metadata = { ...object.metadata, uid: 'u', managedFields: [{ manager: 'm' }] };
    const stored = entryOf('configmaps', object, 7);
    stored.shareIn(new ParsedObjects());
    const held = isHeld ? stored.lean : undefined;
    const tombstone = tombstoneOf(stored, 8);
    tombstone.shareIn(new ParsedObjects());
    stored.supersede(tombstone);
    const { managedFields: _, ...metadata } = { ...object.metadata, resourceVersion: '8' };
    expect(JSON.parse(tombstone.json)).toEqual({ ...object, metadata: { ...object.metadata, resourceVersion: '8' } });
    expect(tombstone.object).toEqual(JSON.parse(tombstone.json));
    expect(tombstone.lean).toEqual({ ...object, metadata });
    expect(tombstone.leanMetadata).toEqual(metadata);
    if (held) expect(tombstone.lean.data).toBe(held.data);
  },
);

test('parsing() gives an entry the same object as parsing it at once, frozen, with the metadata that is known', () => {
  const data = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 5, noNullPrototype: true });
  fc.assert(
    fc.property(data, fc.boolean(), fc.boolean(), (some, isKnown, isRemoved) => {
      const json = stringifyJson({ ...configMap(), data: { ...some, large: 'v'.repeat(40_000) } });
      const metadata = Object.freeze(configMap().metadata);
      const entries = [0, 1].map(() => {
        const place = { resource: 'configmaps', namespace: 'default', name: 'c' };
        const stored = new StoredEntry(place, 7, json, isKnown ? metadata : undefined);
        stored.shareIn(new ParsedObjects());
        return isRemoved ? tombstoneOf(stored, 8) : stored;
      });
      const [sliced, whole] = entries as [StoredEntry, StoredEntry];
      runToCompletion(sliced.parsing());
      expect(stringifyJson(sliced.object)).toBe(stringifyJson(whole.object));
      expect(sliced.metadata).toEqual(whole.object.metadata);
      expect([sliced.object, sliced.object.data, sliced.object.metadata].every(Object.isFrozen)).toBe(true);
      if (!isRemoved) expect(sliced.object).toBe(sliced.object);
    }),
  );
});

test('parsing() an object of 90,000 keys yields, and `object` need not parse it again', () => {
  const many = Object.fromEntries(Array.from({ length: 90_000 }, (_, index) => [`k${index}`, 'v']));
  const place = { resource: 'configmaps', namespace: 'default', name: 'c' };
  const entry = new StoredEntry(place, 7, stringifyJson({ ...configMap(), data: many }));
  entry.shareIn(new ParsedObjects());
  expect([...entry.parsing()].length).toBeGreaterThan(20);
  expect(entry.object).toBe(entry.object);
  expect([...entry.parsing()]).toEqual([]);
});

test('tombstoneOf() a large entry knows its metadata without parsing the rest', () => {
  const metadata = Object.freeze({ ...configMap().metadata, managedFields: [] });
  const place = { resource: 'configmaps', namespace: 'default', name: 'c' };
  // Not JSON, so that it cannot be parsed.
  const stored = new StoredEntry(place, 7, 'a text', metadata);
  const tombstone = tombstoneOf(stored, 8);
  stored.supersede(tombstone);
  expect(tombstone.leanMetadata).toEqual({ name: 'c', namespace: 'default', resourceVersion: '8' });
  expect(tombstone.metadata).toEqual({ ...metadata, resourceVersion: '8' });
  expect(tombstone.approximateSize).toBe('a text'.length);
});

test('entryOf() an object that was encoded in parts has the text it has otherwise, also when it is stored again', () => {
  const parts = fc.dictionary(fc.string(), fc.oneof(fc.jsonValue(), fc.constant(undefined)), { noNullPrototype: true });
  fc.assert(
    fc.property(parts, parts, fc.array(parts), (data, spec, managedFields) => {
      const object = { ...spec, ...configMap(), data } as KubeObject;
      object.metadata = { ...object.metadata, managedFields, labels: undefined as never };
      const expected = entryOf('configmaps', object, 7).json;
      runToCompletion(freezing(object));
      runToCompletion(encodingParts(object));
      expect(entryOf('configmaps', object, 7).json).toBe(expected);
      expect(entryOf('configmaps', object, 7).json).toBe(expected);
    }),
  );
});
