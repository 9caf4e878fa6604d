import type { KubeObject } from '@slipway/kube';
import { ManualClock } from '@slipway/kube/testing';
import { expect, test } from 'vitest';
import { expireRows } from './expire-rows.js';
import { memoryStore } from './memory-store.js';
import type { Store } from './store.js';

const timeToLiveMs = 1000;

function anEvent(name: string, createdMs: number): KubeObject {
  const creationTimestamp = new Date(createdMs).toISOString();
  return { apiVersion: 'v1', kind: 'Event', metadata: { namespace: 'n', name, creationTimestamp } };
}

const names = (store: Store) => store.list('events', {}).entries.map(({ name }) => name);

test('expireRows() removes what nobody wrote to for a while, and lets a write count anew', async () => {
  const clock = new ManualClock();
  const store = memoryStore({ clock });
  const expiry = expireRows({ store, resource: 'events', timeToLiveMs, clock, onError: () => {} });
  const first = await store.put('events', anEvent('a', clock.now()), undefined);
  await store.put('pods', anEvent('a', clock.now()), undefined);
  await clock.advance(400);
  await store.put('events', anEvent('b', clock.now()), undefined);
  await clock.advance(400);
  await store.put('events', anEvent('a', clock.now()), first);
  await clock.advance(599);
  expect(names(store)).toEqual(['a', 'b']);
  await clock.advance(1);
  expect(names(store)).toEqual(['a']);
  await clock.advance(400);
  expect([names(store), store.list('pods', {}).entries.length]).toEqual([[], 1]);
  expiry.close();
  await store.put('events', anEvent('c', clock.now()), undefined);
  await clock.advance(5000);
  expect(names(store)).toEqual(['c']);
});

test('expireRows() counts from creation what was there before', async () => {
  const clock = new ManualClock();
  const store = memoryStore({ clock });
  await store.put('events', anEvent('old', clock.now() - 5000), undefined);
  await store.put('events', anEvent('young', clock.now() - 300), undefined);
  await store.put('events', anEvent('from-the-future', clock.now() + 9000), undefined);
  expireRows({ store, resource: 'events', timeToLiveMs, clock, onError: () => {} });
  await clock.advance(0);
  expect(names(store)).toEqual(['from-the-future', 'young']);
  await clock.advance(700);
  expect(names(store)).toEqual(['from-the-future']);
  await clock.advance(300);
  expect(names(store)).toEqual([]);
});

test('expireRows() tries again when a removal fails', async () => {
  const clock = new ManualClock();
  const store = memoryStore({ clock });
  let broken = true;
  const failing: Store = {
    ...store,
    latest: store.latest,
    remove: (basis) => (broken ? Promise.reject(new Error('no space')) : store.remove(basis)),
  };
  const errors: unknown[] = [];
  expireRows({ store: failing, resource: 'events', timeToLiveMs, clock, onError: (error) => errors.push(error) });
  await store.put('events', anEvent('a', clock.now()), undefined);
  await clock.advance(1000);
  expect([errors.length, names(store)]).toEqual([1, ['a']]);
  broken = false;
  await clock.advance(60_000);
  expect(names(store)).toEqual([]);
});
