import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createStore } from './create-store.js';
import { type StorageFailedError, StorageFullError } from './durable-log.js';
import { memoryStore } from './memory-store.js';
import { CompactedError, type Entry, type Store, type StoreEvent } from './store.js';
import { ScriptedDisk } from './testing/scripted-disk.js';
import { aPod, names, outcome, settle, told } from './testing/writes.js';

describe('a write that is not durable yet', () => {
  test('is seen by nobody but the next writer', async () => {
    const disk = new ScriptedDisk();
    const store = createStore({ durable: disk.log() });
    const events: string[] = [];
    const revisions: number[] = [];
    store.watch('pods', 0, (event) => events.push(told(event)));
    store.onRevision((revision) => revisions.push(revision));

    const write = outcome(store.put('pods', aPod('a'), undefined));
    await settle();
    const invisible = [store.get('pods', 'n', 'a'), names(store.list('pods', {}).entries), events, revisions, write.is];
    expect(invisible).toEqual([undefined, [], [], [], 'pending']);
    expect(store.latest('pods', 'n', 'a')?.object.metadata.resourceVersion).toBe('1');

    await disk.end();
    expect(store.get('pods', 'n', 'a')).toBe(store.latest('pods', 'n', 'a'));
    expect([events, revisions, write.is, store.revision]).toEqual([['ADDED a 1'], [1], 'durable', 1]);
  });

  test('shares the next commit with all that came while one was under way', async () => {
    const disk = new ScriptedDisk();
    const store = createStore({ durable: disk.log() });
    void store.put('pods', aPod('a'), undefined);
    await settle();
    for (const name of ['b', 'c', 'd']) void store.put('pods', aPod(name), undefined);
    await disk.end();
    await disk.end();
    expect(disk.commits.map(({ records }) => records.map(({ name }) => name))).toEqual([['a'], ['b', 'c', 'd']]);
  });

  test('is shown in a turn of its own when it is large', async () => {
    const disk = new ScriptedDisk();
    const store = createStore({ durable: disk.log() });
    const revisionsIn: number[] = [];
    const turns = [settle, settle, settle, settle];
    void store.put('pods', { ...aPod('small') }, undefined);
    void store.put('pods', { ...aPod('large'), text: 'x'.repeat(600_000) }, undefined);
    void store.put('pods', { ...aPod('other') }, undefined);
    await disk.end();
    for (const turn of turns) {
      revisionsIn.push(store.revision);
      await turn();
    }
    expect(revisionsIn).toEqual([1, 1, 2, 2]);
    expect(store.revision).toBe(3);
  });

  test('takes down what was computed from it when it fails, and nothing else', async () => {
    const disk = new ScriptedDisk();
    const store = createStore({ durable: disk.log() });
    const first = store.put('pods', aPod('a', { value: 1 }), undefined);
    await disk.end();
    const stored = await first;

    const second = outcome(store.put('pods', aPod('a', { value: 2 }), stored));
    await settle();
    const third = outcome(store.put('pods', aPod('a', { value: 3 }), store.latest('pods', 'n', 'a')));
    const other = outcome(store.put('pods', aPod('b'), undefined));
    await disk.end(new StorageFullError('full'));
    expect([second.is, third.is, other.is]).toEqual(['failed', 'failed', 'pending']);
    expect(store.latest('pods', 'n', 'a')).toBe(stored);

    await disk.end();
    expect([other.is, store.get('pods', 'n', 'a')]).toEqual(['durable', stored]);
    const fourth = store.put('pods', aPod('a', { value: 4 }), stored);
    await disk.end();
    expect((await fourth).revision).toBe(5);
  });
});

test('put() refuses a basis that is not the latest', async () => {
  const store = memoryStore();
  const stored = await store.put('pods', aPod('a'), undefined);
  void store.put('pods', aPod('a', { value: 1 }), stored);
  expect(() => store.put('pods', aPod('a'), undefined)).toThrow('not the latest');
  expect(() => store.put('pods', aPod('a'), stored)).toThrow('not the latest');
  expect(() => store.remove(stored)).toThrow('not the latest');
});

test('put() keeps what was handed in, whatever the caller does with it later', async () => {
  const store = memoryStore();
  const pod = aPod('a');
  const write = store.put('pods', pod, undefined);
  pod.value = 7;
  const { object, json } = await write;
  expect([object.value, JSON.parse(json)]).toEqual([0, object]);
  expect(() => {
    object.metadata.labels = {};
  }).toThrow(TypeError);
});

test('the metadata of an entry is what a reader of the whole object finds, written just now or loaded', async () => {
  const disk = new ScriptedDisk();
  const store = createStore({ durable: disk.log() });
  const ownerReferences = [{ apiVersion: 'v1', kind: 'Pod', name: 'o', uid: 'u', controller: undefined }] as never;
  const pod = aPod('a', { labels: { a: 'b' }, finalizers: ['x/y'], ownerReferences });
  const put = store.put('pods', pod, undefined);
  pod.metadata.labels = { later: 'change' };
  await disk.end();
  const entries = [await put, createStore({ durable: disk.log() }).get('pods', 'n', 'a') as Entry];
  for (const { metadata, json } of entries) {
    expect(metadata).toStrictEqual(JSON.parse(json).metadata);
    expect(Object.isFrozen(metadata) && Object.isFrozen(metadata.labels)).toBe(true);
  }
  const removed = store.remove(await put);
  await disk.end();
  expect((await removed).metadata).toStrictEqual((await removed).object.metadata);
});

test('remove() shows watchers the final state, with the revision of the removal', async () => {
  const store = memoryStore();
  const events: StoreEvent[] = [];
  store.watch('pods', 0, (event) => events.push(event));
  await store.remove(await store.put('pods', aPod('a', { value: 1 }), undefined));
  await store.remove(await store.put('pods', aPod('b'), undefined), aPod('b', { value: 9 }));
  const gone = events.filter(({ type }) => type === 'DELETED').map(({ entry }) => JSON.parse(entry.json));
  expect(gone.map(({ value, metadata }) => [value, metadata.resourceVersion])).toEqual([
    [1, '2'],
    [9, '4'],
  ]);
});

test('a disk that fails ends all writing; what was acknowledged is there at the next start', async () => {
  const disk = new ScriptedDisk();
  const failures: StorageFailedError[] = [];
  const store = createStore({ durable: disk.log(), onFailed: (error) => failures.push(error) });
  const first = store.put('pods', aPod('a'), undefined);
  await disk.end();
  const stored = await first;

  const cause = new Error('EIO');
  const underWay = store.put('pods', aPod('b'), undefined);
  await settle();
  const waiting = store.put('pods', aPod('c'), undefined);
  const outcomes = Promise.allSettled([underWay, waiting]);
  await disk.end(cause);
  expect((await outcomes).map((one) => one.status === 'rejected' && one.reason)).toEqual([failures[0], failures[0]]);
  expect(failures).toEqual([expect.objectContaining({ reason: 'StorageFailed', cause })]);

  await expect(store.put('pods', aPod('d'), undefined)).rejects.toBe(failures[0]);
  await expect(store.remove(stored)).rejects.toBe(failures[0]);
  expect(disk.commits).toHaveLength(2);
  expect(names(store.list('pods', {}).entries)).toEqual(['a']);
  await store.close();
  const reopened = createStore({ durable: disk.log() });
  expect([names(reopened.list('pods', {}).entries), reopened.revision]).toEqual([['a'], 1]);
});

describe('a full disk', () => {
  test('refuses writes and goes on removing', async () => {
    const disk = new ScriptedDisk();
    const store = createStore({ durable: disk.log() });
    const both = Promise.all(['a', 'b'].map((name) => store.put('pods', aPod(name), undefined)));
    await disk.end();
    const [a, b] = (await both) as [Entry, Entry];
    const removed = outcome(store.remove(a));
    const recreated = outcome(store.put('pods', aPod('a'), undefined));
    const changed = outcome(store.put('pods', aPod('b', { value: 2 }), b));
    const created = outcome(store.put('pods', aPod('c'), undefined));
    const undone = outcome(store.remove(store.latest('pods', 'n', 'c') as Entry));
    await disk.end(new StorageFullError('no space'));
    await disk.end();
    const outcomes = [removed, recreated, changed, created, undone];
    expect(outcomes.map(({ is }) => is)).toEqual(['durable', 'failed', 'failed', 'failed', 'failed']);
    expect([names(store.list('pods', {}).entries), store.latest('pods', 'n', 'a')]).toEqual([['b'], undefined]);
  });

  test('is also reached at maxBytes, and left again by removing', async () => {
    const store = memoryStore({ maxBytes: 400 });
    const big = await store.put('pods', aPod('a', { annotations: { a: 'x'.repeat(200) } }), undefined);
    await expect(store.put('pods', aPod('b', { annotations: { a: 'x'.repeat(200) } }), undefined)).rejects.toThrow(
      StorageFullError,
    );
    expect(store.latest('pods', 'n', 'b')).toBeUndefined();
    await store.remove(big);
    await store.put('pods', aPod('b', { annotations: { a: 'x'.repeat(200) } }), undefined);
  });
});

test('a watcher opened from within an event sees each event once', async () => {
  const store = memoryStore();
  const inner: string[] = [];
  const outer = store.watch('pods', 0, () => {
    outer.close();
    store.watch('pods', 0, (event) => inner.push(told(event)));
  });
  await Promise.all([store.put('pods', aPod('a'), undefined), store.put('pods', aPod('b'), undefined)]);
  expect(inner).toEqual(['ADDED a 1', 'ADDED b 2']);
});

type Step =
  | { readonly kind: 'put' | 'remove'; readonly name: string }
  | { readonly kind: 'commit' | 'fail' | 'full' | 'restart' };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('put' as const), name: fc.constantFrom('a', 'b', 'c', 'd') }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), name: fc.constantFrom('a', 'b', 'c') }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('commit' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('fail' as const, 'full' as const, 'restart' as const) }) },
);

/** Every durable write in order, told by the promises alone. */
interface Happened {
  readonly revision: number;
  readonly name: string;
  readonly value: number | undefined;
}

test('any story: readers, watchers and old snapshots agree with a naive list of durable writes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const disk = new ScriptedDisk();
      const history = { events: 4, ageMs: -1, bytes: 1e9 };
      let store = createStore({ durable: disk.log(), history });
      let live: string[] = [];
      store.watch('pods', 0, (event) => live.push(told(event)));
      let model: Happened[] = [];
      let value = 0;
      for (const { kind, ...rest } of steps) {
        if (kind === 'put' || kind === 'remove') {
          const name = 'name' in rest ? rest.name : '';
          write(store, kind, name);
        } else if (kind === 'restart') {
          disk.crash();
          store = createStore({ durable: disk.log(), history });
          live = [];
          store.watch('pods', store.revision, (event) => live.push(told(event)));
        } else {
          const error = { commit: undefined, fail: new Error('EIO'), full: new StorageFullError('full') }[kind];
          await disk.end(error);
        }
        await settle();
        agree();
      }

      function write(at: Store, kind: 'put' | 'remove', name: string): void {
        const basis = at.latest('pods', 'n', name);
        if (kind === 'remove' && !basis) return;
        value += 1;
        const wrote = value;
        const done = kind === 'put' || !basis ? at.put('pods', aPod(name, { value }), basis) : at.remove(basis);
        done.then(
          ({ revision }) => model.push({ revision, name, value: kind === 'put' ? wrote : undefined }),
          () => {},
        );
      }

      function stateAt(revision: number): Map<string, Happened> {
        const state = new Map<string, Happened>();
        for (const happened of model) {
          if (happened.revision > revision) break;
          if (happened.value === undefined) state.delete(happened.name);
          else state.set(happened.name, happened);
        }
        return new Map([...state].sort(([a], [b]) => (a < b ? -1 : 1)));
      }

      function agree(): void {
        model = model.sort((a, b) => a.revision - b.revision);
        const newest = model.at(-1)?.revision ?? 0;
        expect(store.revision).toBe(newest);
        for (let revision = 0; revision <= newest; revision += 1) {
          const expected = [...stateAt(revision).values()];
          let page: ReturnType<Store['list']>;
          try {
            page = store.list('pods', { atRevision: revision });
          } catch (error) {
            if (!(error instanceof CompactedError)) throw error;
            expect(model.filter((happened) => happened.revision > revision).length).toBeGreaterThanOrEqual(4);
            continue;
          }
          expect(page.entries.map(({ name, object, revision }) => [name, object.value, revision])).toEqual(
            expected.map((happened) => [happened.name, happened.value, happened.revision]),
          );
          const events: string[] = [];
          store.watch('pods', revision, (event) => events.push(told(event))).close();
          expect(events.map((event) => Number(event.split(' ')[2]))).toEqual(
            model.filter((happened) => happened.revision > revision).map((happened) => happened.revision),
          );
        }
        expect(live).toEqual(live.filter((event, at) => live.indexOf(event) === at));
        expect(live.map((event) => Number(event.split(' ')[2]))).toEqual(
          model.map(({ revision }) => revision).slice(model.length - live.length),
        );
      }
    }),
    { numRuns: 200 },
  );
}, 20_000);
