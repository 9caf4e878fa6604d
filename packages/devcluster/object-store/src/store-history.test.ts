import { ManualClock } from '@slipway/kube/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createStore } from './create-store.js';
import { StorageFullError } from './durable-log.js';
import { memoryStore } from './memory-store.js';
import { CompactedError, type Store } from './store.js';
import { ScriptedDisk } from './testing/scripted-disk.js';
import { aPod, names, outcome } from './testing/writes.js';

/** How many events of a resource are there still. */
function eventsOf(store: Store, resource: string): number {
  const oldest = (revision: number): number => {
    try {
      let events = 0;
      const count = () => {
        events += 1;
      };
      store.watch(resource, revision, count).close();
      return events;
    } catch (error) {
      if (error instanceof CompactedError) return oldest(error.keptSince ?? Number.NaN);
      throw error;
    }
  };
  return oldest(0);
}

describe('history', () => {
  const limits = { events: 3, ageMs: 1000, bytes: 1e6 };

  /** A store in which one pod was written five times. */
  async function afterFiveStates() {
    const clock = new ManualClock();
    const disk = new ScriptedDisk();
    const store = createStore({ durable: disk.log(), clock, history: limits });
    for (let i = 1; i <= 5; i += 1) {
      void store.put('pods', aPod('a', { value: i }), store.latest('pods', 'n', 'a'));
      await disk.end();
    }
    return { clock, disk, store };
  }

  test('goes only when there is enough of it and it is old enough', async () => {
    const { clock, disk, store } = await afterFiveStates();
    expect(store.list('pods', { atRevision: 1 }).entries[0]?.object.value).toBe(1);
    await clock.advance(1001);
    void store.put('pods', aPod('a', { value: 6 }), store.latest('pods', 'n', 'a'));
    await disk.end();
    expect(() => store.list('pods', { atRevision: 2 })).toThrow(CompactedError);
    expect(() => store.watch('pods', 2, () => {})).toThrow(CompactedError);
    expect(store.list('pods', { atRevision: 3 }).entries[0]?.object.value).toBe(3);
  });

  test('of the default length takes no more after an hour than after ten minutes, however seldom an object changes', async () => {
    const clock = new ManualClock();
    const disk = new ScriptedDisk();
    const store = createStore({ durable: disk.log(), clock });
    const kept: number[] = [];
    for (let minute = 1; minute <= 60; minute += 1) {
      for (let write = 0; write < 100; write += 1) {
        void store.put('leases', aPod('a', { value: write }), store.latest('leases', 'n', 'a'));
        await disk.end();
      }
      await clock.advance(60_000);
      kept.push(eventsOf(store, 'leases'));
    }
    expect(kept.slice(10)).toEqual(kept.slice(10).fill(kept[9] ?? 0));
  });

  test('goes also where nothing is written any more, once something else is', async () => {
    const { clock, disk, store } = await afterFiveStates();
    await clock.advance(1001);
    for (const name of ['a', 'b']) {
      void store.put('nodes', aPod(name), undefined);
      await disk.end();
    }
    expect(() => store.list('pods', { atRevision: 1 })).toThrow(CompactedError);
    expect(store.list('pods', { atRevision: 3 }).entries[0]?.object.value).toBe(3);
  });

  test('leaves the disk together with what only it needed, also when a commit in between fails', async () => {
    const disk = new ScriptedDisk();
    const store = createStore({ durable: disk.log(), history: { events: 1, ageMs: -1, bytes: 1e6 } });
    const put = async (value: number, error?: Error) => {
      const write = outcome(store.put('pods', aPod('a', { value }), store.latest('pods', 'n', 'a')));
      await disk.end(error);
      return write.is;
    };
    for (let i = 1; i <= 5; i += 1) expect(await put(i)).toBe('durable');
    expect(await put(6, new StorageFullError('full'))).toBe('failed');
    expect(await put(7)).toBe('durable');
    expect(await put(8)).toBe('durable');
    // The newest event, the state before it, and what the last commit could not know to be forgotten.
    expect(disk.kept.map(({ revision }) => revision)).toEqual([5, 7, 8]);
    const reopened = createStore({ durable: disk.log() });
    expect(reopened.get('pods', 'n', 'a')?.object.value).toBe(8);
    expect(() => reopened.watch('pods', 4, () => {})).toThrow(CompactedError);
    expect(reopened.list('pods', { atRevision: 7 }).entries[0]?.object.value).toBe(7);
  });

  test('shows many writes that became durable together a few at a time, in order', async () => {
    const disk = new ScriptedDisk();
    const store = createStore({ durable: disk.log() });
    const seen: number[] = [];
    store.watch('pods', 0, ({ entry }) => seen.push(entry.revision));
    const writes = Array.from({ length: 100 }, (_, at) => store.put('pods', aPod(`p${at}`), undefined));
    await disk.end();
    expect(seen.length).toBeLessThan(100);
    expect(store.revision).toBe(seen.length);
    expect(store.get('pods', 'n', 'p99')).toBeUndefined();
    await Promise.all(writes);
    expect(seen).toEqual(Array.from({ length: 100 }, (_, at) => at + 1));
  });

  test('gives way when its bytes run out, the largest resource first', async () => {
    const store = createStore({ durable: new ScriptedDisk().log(), history: { ...limits, bytes: 0 } });
    expect(() => store.watch('pods', 0, () => {})).not.toThrow();
    const disk = new ScriptedDisk();
    const small = createStore({ durable: disk.log(), history: { events: 1e6, ageMs: 1e9, bytes: 20_000 } });
    const writes = [small.put('quiet', aPod('q'), undefined)];
    for (let i = 1; i <= 100; i += 1) {
      writes.push(small.put('pods', aPod('a', { value: i }), small.latest('pods', 'n', 'a')));
    }
    await disk.end();
    await Promise.all(writes);
    expect(() => small.watch('pods', 1, () => {})).toThrow(CompactedError);
    expect(() => small.watch('quiet', 0, () => {})).not.toThrow();
  });

  test('a revision of another store is refused like a compacted one', async () => {
    const store = memoryStore();
    await store.put('pods', aPod('a'), undefined);
    expect(() => store.watch('pods', 2, () => {})).toThrow(CompactedError);
    expect(() => store.list('pods', { atRevision: 2 })).toThrow(CompactedError);
  });
});

test('list() pages in key order and says what remains', async () => {
  const store = memoryStore();
  for (const name of ['c', 'a', 'e', 'b', 'd']) await store.put('pods', aPod(name), undefined);
  await store.put('pods', aPod('z', { namespace: 'n-2' }), undefined);
  const first = store.list('pods', { namespace: 'n', limit: 2 });
  expect([names(first.entries), first.next, first.remaining]).toEqual([['a', 'b'], 'n/b', 3]);
  const c = store.get('pods', 'n', 'c');
  if (c) await store.remove(c);
  const options = { namespace: 'n', limit: 3, after: first.next ?? '', atRevision: first.revision };
  const second = store.list('pods', options);
  expect([names(second.entries), second.next, second.remaining]).toEqual([['c', 'd', 'e'], undefined, 0]);
  expect(names(store.list('pods', {}).entries)).toEqual(['z', 'a', 'b', 'd', 'e']);
});

test('pages of an older list are what it was, and say what remains of it', async () => {
  const anyName = fc.constantFrom(...'abcdefghi');
  const step = fc.record({ name: anyName, goes: fc.boolean() });
  const steps = fc.array(step, { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(steps, steps, fc.integer({ min: 1, max: 4 }), async (before, since, limit) => {
      const store = memoryStore();
      const play = async ({ name, goes }: { readonly name: string; readonly goes: boolean }) => {
        const there = store.get('pods', 'n', name);
        if (!goes) await store.put('pods', aPod(name), there);
        else if (there) await store.remove(there);
      };
      for (const each of before) await play(each);
      const { entries: all, revision } = store.list('pods', { namespace: 'n' });
      for (const each of since) await play(each);
      const listed: string[] = [];
      let after: string | undefined;
      do {
        const at = { namespace: 'n', limit, atRevision: revision, ...(after && { after }) };
        const page = store.list('pods', at);
        listed.push(...names(page.entries));
        expect(page.remaining).toBe(all.length - listed.length);
        after = page.next;
      } while (after);
      expect(listed).toEqual(names(all));
    }),
  );
});
