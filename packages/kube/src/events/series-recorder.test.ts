import { expect, test } from 'vitest';
import { Kube } from '../client/client.js';
import { inMemoryApi } from '../testing/in-memory-api.js';
import { ManualClock } from '../testing/manual-clock.js';
import { aWidget } from '../testing/widgets.js';
import { type SeriesEvent, SeriesRecorder } from './series-recorder.js';

const resource = { group: 'events.k8s.io', plural: 'events' };
const minute = 60_000;
const failed = { type: 'Warning', reason: 'Failed', action: 'Trying', note: 'it did not work' } as const;

function seen(resourceVersion = '7') {
  return { ...aWidget('a'), metadata: { name: 'a', namespace: 'team', uid: 'u1', resourceVersion } };
}

function setUp() {
  const clock = new ManualClock();
  const api = inMemoryApi({ clock });
  const recorder = new SeriesRecorder(new Kube(api, { clock }), { controller: 'tests', instance: 'tests-1' });
  const stored = () => api.stored(resource) as readonly SeriesEvent[];
  /** What comes of the series, once all that was told is written. */
  const series = async () => {
    await recorder.stop();
    return stored().map((event) => event.series);
  };
  /** Lets writes that wait for nothing come to their end. */
  const told = async (times: number, about = seen()) => {
    for (let time = 0; time < times; time++) recorder.event(about, failed);
    await clock.advance(0);
  };
  return { clock, api, recorder, stored, series, told };
}

test('SeriesRecorder writes an event of events.k8s.io/v1 with what it is related to', async () => {
  const { recorder, stored } = setUp();
  const related = { ...aWidget('b'), metadata: { name: 'b', namespace: 'team', uid: 'u2' } };
  recorder.event(seen(), { ...failed, related });
  await recorder.stop();
  expect(stored()).toMatchObject([
    {
      apiVersion: 'events.k8s.io/v1',
      metadata: { namespace: 'team', name: expect.stringMatching(/^a\.[0-9a-f]+$/) },
      eventTime: '2026-01-01T00:00:00.000000Z',
      reportingController: 'tests',
      reportingInstance: 'tests-1',
      action: 'Trying',
      reason: 'Failed',
      regarding: { apiVersion: 'test.slipway.dev/v1', kind: 'Widget', namespace: 'team', name: 'a', uid: 'u1' },
      related: { name: 'b', uid: 'u2' },
      note: 'it did not work',
      type: 'Warning',
    },
  ]);
  expect(stored()[0]).not.toHaveProperty('series');
});

test('SeriesRecorder counts what happens again to the same state of an object, and writes the second time at once', async () => {
  const { recorder, series } = setUp();
  for (const version of ['7', '7', '8', '7']) recorder.event(seen(version), failed);
  recorder.event(seen(), { ...failed, action: 'Looking' });
  expect(await series()).toEqual([{ count: 2, lastObservedTime: '2026-01-01T00:00:00.000000Z' }, undefined, undefined]);
});

test('SeriesRecorder writes the last count of a series that nothing was added to for six minutes, and forgets it', async () => {
  const { clock, told, series } = setUp();
  await told(5);
  await clock.advance(13 * minute);
  await told(1);
  expect(await series()).toEqual([{ count: 5, lastObservedTime: '2026-01-01T00:00:00.000000Z' }, undefined]);
});

test('SeriesRecorder writes a series that goes on each half hour, so that the server keeps it', async () => {
  const { clock, told, stored } = setUp();
  for (let minutes = 0; minutes < 36; minutes += 4) {
    await told(1);
    await clock.advance(4 * minute);
  }
  expect(stored().map((event) => event.series?.count)).toEqual([9]);
});

test('SeriesRecorder begins anew when the event of a series has expired, and goes on when the server is away', async () => {
  const { api, recorder, stored, told } = setUp();
  await told(1);
  await new Kube(api).resource({ ...resource, version: 'v1', kind: 'Event', namespaced: true }).delete({
    namespace: 'team',
    name: stored()[0]?.metadata.name ?? '',
  });
  await told(1);
  api.intercept(() => {
    throw new Error('away');
  });
  recorder.event(seen('8'), failed);
  await told(0);
  api.intercept(undefined);
  recorder.event(seen('9'), failed);
  await recorder.stop();
  expect(stored().map(({ regarding }) => regarding.resourceVersion)).toEqual(['7', '9']);
});
