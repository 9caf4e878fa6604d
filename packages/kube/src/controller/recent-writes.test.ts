import { expect, test } from 'vitest';
import { Kube } from '../client/client.js';
import { silentLog } from '../log/logger.js';
import { inMemoryApi, ManualClock } from '../testing/index.js';
import { aWidget, Widgets } from '../testing/widgets.js';
import { InformerFactory } from '../watch/informer-factory.js';
import { RecentWrites } from './recent-writes.js';

async function setUp() {
  const clock = new ManualClock();
  const api = inMemoryApi({ clock });
  const kube = new Kube(api, { clock });
  const informers = new InformerFactory(kube, { log: silentLog });
  const informer = informers.informer(Widgets);
  const recent = new RecentWrites(informer, clock);
  informer.start();
  await informer.whenSynced();
  return { clock, kube, informer, recent, client: kube.resource(Widgets) };
}

const ref = { namespace: 'default', name: 'a' };
const turn = () => new Promise((resolve) => setImmediate(resolve));
/** A widget as the server would answer, at a revision the informer has not seen. */
const written = (uid: string, resourceVersion: string, name = 'a') => ({
  ...aWidget(name),
  metadata: { name, namespace: 'default', uid, resourceVersion },
});

test('RecentWrites shows a write that the informer has not seen yet, until it has', async () => {
  const { informer, recent, client } = await setUp();
  const made = await client.create(aWidget('a'));
  if (!informer.lister.get(ref)) recent.wrote(made);
  const ahead = recent.wrote({ ...made, metadata: { ...made.metadata, resourceVersion: '1000' } });
  expect(recent.get(ref)).toBe(ahead);
  expect(recent.over(informer.lister.list(), () => true)).toEqual([ahead]);
  expect(recent.over([], () => false)).toEqual([]);
});

test('RecentWrites gives way to the informer once that is as new', async () => {
  const { informer, recent, client } = await setUp();
  recent.wrote(written('u', '0'));
  expect(recent.get(ref)?.metadata.uid).toBe('u');
  const made = await client.create(aWidget('a'));
  await turn();
  await turn();
  expect(informer.lister.get(ref)).toBeDefined();
  recent.wrote(made);
  expect(recent.over([], () => true)).toEqual([]);
});

test('RecentWrites shows a pod as terminating once its deletion was asked for', async () => {
  const { recent, client } = await setUp();
  const made = await client.create(aWidget('a'));
  await turn();
  await turn();
  recent.deleted(made);
  expect(recent.get(ref)?.metadata.deletionTimestamp).toBeDefined();
  await client.delete(ref);
  await turn();
  await turn();
  expect(recent.get(ref)).toBeUndefined();
  recent.deleted(made);
  expect(recent.get(ref)).toBeUndefined();
});

test('RecentWrites forgets a write whose event never comes', async () => {
  const { clock, recent } = await setUp();
  recent.wrote(written('u', '1000'));
  await clock.advance(29_000);
  expect(recent.get(ref)).toBeDefined();
  await clock.advance(2_000);
  expect(recent.get(ref)).toBeUndefined();
  expect(recent.over([], () => true)).toEqual([]);
});

test('RecentWrites lets go of writes whose event never came, also of those that are not requested', async () => {
  const { clock, recent } = await setUp();
  for (let number = 0; number < 3; number++) {
    recent.wrote(written(`u${number}`, '1000', `p${number}`));
    await clock.advance(14_000);
  }
  expect(recent.size).toBe(3);
  recent.wrote(written('u0', '2000', 'p0'));
  expect(recent.size).toBe(3);
  await clock.advance(14_000);
  recent.wrote(written('u', '3000'));
  expect(recent.size).toBe(3);
  expect(recent.get({ namespace: 'default', name: 'p0' })).toBeDefined();
});
