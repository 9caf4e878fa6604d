import type { KubeObject } from '@slipway/kube';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { memoryStore } from './memory-store.js';
import { SavedState } from './saved-state.js';
import type { Entry, Store, StoreEvent } from './store.js';

const kinds = ['pods', 'nodes'];

const write = fc.record({
  kind: fc.constantFrom(...kinds),
  name: fc.constantFrom('a', 'b', 'c', 'd'),
  value: fc.integer({ min: 0, max: 3 }),
  owner: fc.constantFrom('a', 'b', 'c', 'd'),
  isRemoval: fc.boolean(),
  isAwaited: fc.boolean(),
});

type Write = typeof write extends fc.Arbitrary<infer One> ? One : never;

test('SavedState: whatever was written since, the store holds the saved objects again, and watchers follow', async () => {
  const history = fc.array(write, { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(history, history, history, async (before, between, after) => {
      const store = memoryStore({});
      const seen = kinds.map((kind) => follow(store, kind));
      await play(store, before);
      const saved = new SavedState(store.all());
      const expected = contentsOf(store.all());
      for (const writes of [between, after]) {
        await play(store, writes);
        const revision = store.revision;
        await saved.restore(store, () => false);
        expect(contentsOf(store.all())).toEqual(expected);
        expect(contentsOf(kinds.flatMap((kind) => store.list(kind, {}).entries))).toEqual(expected);
        expect(contentsOf(seen.flatMap((one) => [...one.values()]))).toEqual(expected);
        expect(store.revision).toBeGreaterThanOrEqual(revision);
        const settled = store.revision;
        await saved.restore(store, () => false);
        expect(store.revision).toBe(settled);
      }
      await store.close();
    }),
  );
});

test('SavedState writes dependents before owners, and removes owners before dependents', async () => {
  const store = memoryStore({});
  const empty = new SavedState(store.all());
  const owner = objectOf('owner', 0);
  const dependent = {
    ...objectOf('dependent', 0),
    metadata: { ...objectOf('dependent', 0).metadata, ownerReferences: [refTo('owner')] },
  };
  await store.put('pods', dependent, undefined);
  await store.put('nodes', owner, undefined);
  const full = new SavedState(store.all());
  const events: string[] = [];
  for (const kind of kinds)
    store.watch(kind, store.revision, ({ type, entry }) => events.push(`${type} ${entry.name}`));
  await empty.restore(store, () => false);
  await full.restore(store, () => false);
  expect(events).toEqual(['DELETED owner', 'DELETED dependent', 'ADDED dependent', 'ADDED owner']);
});

test('SavedState leaves what is to be kept', async () => {
  const store = memoryStore({});
  const kept = await store.put('nodes', objectOf('kept', 1), undefined);
  const saved = new SavedState(store.all());
  await store.put('nodes', objectOf('kept', 2), kept);
  await store.put('nodes', objectOf('new', 1), undefined);
  await saved.restore(store, ({ name }) => name === 'kept');
  expect(contentsOf(store.all())).toEqual({ 'nodes/kept': objectOf('kept', 2) });
});

async function play(store: Store, writes: readonly Write[]): Promise<void> {
  for (const { kind, name, value, owner, isRemoval, isAwaited } of writes) {
    const basis = store.latest(kind, '', name);
    const object = objectOf(name, value);
    const owned = { ...object, metadata: { ...object.metadata, ownerReferences: [refTo(owner)] } };
    const written = isRemoval ? basis && store.remove(basis) : store.put(kind, owned, basis);
    if (isAwaited) await written;
  }
}

function follow(store: Store, kind: string): ReadonlyMap<string, Entry> {
  const seen = new Map<string, Entry>();
  store.watch(kind, 0, ({ type, entry }: StoreEvent) => {
    if (type === 'DELETED') seen.delete(entry.name);
    else seen.set(entry.name, entry);
  });
  return seen;
}

function contentsOf(entries: Iterable<Entry>): Record<string, KubeObject> {
  return Object.fromEntries(
    [...entries].map(({ resource, name, object }) => {
      const { resourceVersion: _, ...metadata } = object.metadata;
      return [`${resource}/${name}`, { ...object, metadata }];
    }),
  );
}

function objectOf(name: string, value: number): KubeObject {
  return { apiVersion: 'v1', kind: 'Thing', metadata: { name, uid: name }, value };
}

function refTo(name: string) {
  return { apiVersion: 'v1', kind: 'Thing', name, uid: name };
}
