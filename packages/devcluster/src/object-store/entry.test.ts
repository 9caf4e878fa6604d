import type { KubeObject } from '@slipway/kube';
import { expect, test } from 'vitest';
import { entryOf, tombstoneOf } from './entry.js';
import { ParsedObjects } from './parsed-objects.js';

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
