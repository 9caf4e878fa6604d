import { expect, test } from 'vitest';
import { Kube } from '../client/client.js';
import { inMemoryApi } from '../testing/in-memory-api.js';
import { ManualClock } from '../testing/manual-clock.js';
import { aWidget } from '../testing/widgets.js';
import { EventRecorder, Events } from './event-recorder.js';

function setUp() {
  const clock = new ManualClock();
  const api = inMemoryApi({ clock });
  let names = 0;
  const recorder = new EventRecorder(new Kube(api, { clock }), { component: 'tests', uniqueText: () => `${++names}` });
  return { clock, api, recorder };
}

const about = { ...aWidget('a'), metadata: { name: 'a', namespace: 'team', uid: 'u1', resourceVersion: '7' } };

test('EventRecorder writes an event as kubectl shows it', async () => {
  const { api, recorder } = setUp();
  recorder.event(about, 'Warning', 'Failed', 'it did not work');
  await recorder.flush();
  expect(api.stored(Events)).toMatchObject([
    {
      metadata: { name: 'a.1', namespace: 'team' },
      involvedObject: {
        apiVersion: 'test.slipway.dev/v1',
        kind: 'Widget',
        name: 'a',
        namespace: 'team',
        uid: 'u1',
        resourceVersion: '7',
      },
      type: 'Warning',
      reason: 'Failed',
      message: 'it did not work',
      count: 1,
      firstTimestamp: '2026-01-01T00:00:00Z',
      lastTimestamp: '2026-01-01T00:00:00Z',
      source: { component: 'tests' },
    },
  ]);
});

test('EventRecorder names events in the order of what they are about, whenever it is told', async () => {
  const clock = new ManualClock();
  const api = inMemoryApi({ clock });
  const recorder = new EventRecorder(new Kube(api, { clock }), { component: 'tests' });
  const beganMs = clock.now();
  await clock.advance(20);
  recorder.event(about, 'Normal', 'Ended', 'later');
  recorder.event(about, 'Normal', 'Began', 'sooner', beganMs);
  await recorder.flush();
  const told = api.stored(Events).map(({ metadata, reason }) => `${metadata.name} ${reason}`);
  expect(told.sort().map((line) => line.split(' ')[1])).toEqual(['Began', 'Ended']);
});

test('EventRecorder counts the same event up, also for a newer state of the object, and starts anew when it expired', async () => {
  const { api, clock, recorder } = setUp();
  recorder.event(about, 'Normal', 'Made', 'one');
  await clock.advance(5000);
  recorder.event({ ...about, metadata: { ...about.metadata, resourceVersion: '8' } }, 'Normal', 'Made', 'one');
  recorder.event(about, 'Normal', 'Made', 'another');
  await recorder.flush();
  expect(
    api
      .stored(Events)
      .map(({ message, count, firstTimestamp, lastTimestamp }) => [message, count, firstTimestamp, lastTimestamp]),
  ).toEqual([
    ['one', 2, '2026-01-01T00:00:00Z', '2026-01-01T00:00:05Z'],
    ['another', 1, '2026-01-01T00:00:05Z', '2026-01-01T00:00:05Z'],
  ]);
  await new Kube(api).resource(Events).delete({ name: 'a.1', namespace: 'team' });
  recorder.event(about, 'Normal', 'Made', 'one');
  await recorder.flush();
  expect(api.stored(Events).map(({ metadata, count }) => [metadata.name, count])).toEqual([
    ['a.2', 1],
    ['a.3', 1],
  ]);
});

test('EventRecorder counts events about parts of an object by themselves', async () => {
  const { api, recorder } = setUp();
  for (const name of ['a', 'b', 'a']) {
    recorder.event({ object: about, fieldPath: `spec.parts{${name}}` }, 'Normal', 'Made', 'made');
  }
  await recorder.flush();
  const stored = api
    .stored(Events)
    .map(({ involvedObject, count }) => [involvedObject.name, involvedObject.fieldPath, count]);
  expect(stored).toEqual([
    ['a', 'spec.parts{a}', 2],
    ['a', 'spec.parts{b}', 1],
  ]);
});

test('EventRecorder puts events about cluster-scoped objects into the default namespace', async () => {
  const { api, recorder } = setUp();
  recorder.event({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } }, 'Normal', 'Ready', 'it is');
  await recorder.flush();
  expect(api.stored(Events)[0]?.metadata).toMatchObject({ namespace: 'default' });
});

test('EventRecorder never throws, drops what cannot be written, and goes on', async () => {
  const { api, recorder } = setUp();
  api.intercept(() => {
    throw new Error('away');
  });
  recorder.event(about, 'Normal', 'Lost', 'x');
  recorder.event(undefined as never, 'Normal', 'Lost', 'x');
  await recorder.flush();
  api.intercept(undefined);
  recorder.event(about, 'Normal', 'Kept', 'x');
  await recorder.flush();
  expect(api.stored(Events).map(({ reason }) => reason)).toEqual(['Kept']);
});

test('EventRecorder lets one object have 25 events of a type at once, then one each five minutes', async () => {
  const { api, clock, recorder } = setUp();
  for (let n = 0; n < 40; n++) recorder.event(about, 'Normal', `Many${n}`, `number ${n}`);
  await recorder.flush();
  expect(api.stored(Events)).toHaveLength(25);
  await clock.advance(300_000);
  recorder.event(about, 'Normal', 'Many', 'later');
  recorder.event(about, 'Normal', 'Many', 'too soon');
  await recorder.flush();
  expect(api.stored(Events)).toHaveLength(26);
  recorder.event(about, 'Warning', 'Failed', 'of another type');
  await recorder.flush();
  expect(api.stored(Events)).toHaveLength(27);
});

test('EventRecorder counts up only what it remembers, and remembers no more than it is told to', async () => {
  const clock = new ManualClock();
  const api = inMemoryApi({ clock });
  const recorder = new EventRecorder(new Kube(api, { clock }), { component: 'tests', remembers: 2 });
  for (const message of ['one', 'two', 'three', 'one', 'three']) recorder.event(about, 'Normal', 'Made', message);
  await recorder.flush();
  const counts = api.stored(Events).map(({ message, count }) => `${message} ${count}`);
  expect(counts.sort()).toEqual(['one 1', 'one 1', 'three 2', 'two 1']);
});

test('EventRecorder makes one event of those that differ only in their message, from the tenth on', async () => {
  const { api, clock, recorder } = setUp();
  const say = async (from: number, to: number) => {
    for (let index = from; index < to; index++) recorder.event(about, 'Warning', 'FailedCreate', `pod ${index}`);
    await recorder.flush();
  };
  const told = () => api.stored(Events).map(({ message, count }) => `${message} x${count}`);
  await say(0, 12);
  expect(told()).toHaveLength(10);
  expect(told().at(-1)).toBe('(combined from similar events): pod 11 x3');
  recorder.event(about, 'Warning', 'FailedDelete', 'pod 12');
  await recorder.flush();
  expect(told().at(-1)).toBe('pod 12 x1');

  await clock.advance(600_001);
  await say(13, 14);
  expect(told().at(-1)).toBe('pod 13 x1');
});
