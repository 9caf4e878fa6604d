import { expect, test } from 'vitest';
import { Kube } from '../client/client.js';
import { inMemoryApi } from '../testing/in-memory-api.js';
import { ManualClock } from '../testing/manual-clock.js';
import { aWidget, type Widget, Widgets } from '../testing/widgets.js';
import { UnreachableError } from '../transport/responses.js';
import { failureStatus, StatusError } from '../transport/status.js';
import type { KubeRequest, Transport, WatchFrame } from '../transport/transport.js';
import { Reflector } from './reflector.js';

function setUp({ random = () => 0, names = '' }: { random?: () => number; names?: string } = {}) {
  const clock = new ManualClock();
  const api = inMemoryApi({ clock });
  for (const name of names) api.seed(Widgets, aWidget(name));
  const widgets = new Kube(api, { clock }).resource(Widgets);
  const seen: string[] = [];
  const sink = {
    replace: (items: readonly Widget[]) =>
      void seen.push(`replace ${items.map(({ metadata }) => metadata.name).join(' ')}`),
    put: ({ metadata }: Widget) => void seen.push(`put ${metadata.name}`),
    remove: ({ metadata }: Widget) => void seen.push(`remove ${metadata.name}`),
  };
  const reflector = new Reflector({ client: widgets, sink, clock, random, pageSize: 2 });
  const stop = new AbortController();
  const running = reflector.run(stop.signal);
  /** What was asked since the last call, and when. */
  const asked: { atMs: number; what: string }[] = [];
  api.intercept((request) => void asked.push({ atMs: clock.monotonicMs(), what: whatIsAsked(request) }));
  const takeAsked = () => asked.splice(0);
  const end = async () => {
    stop.abort();
    await running;
  };
  return { clock, api, widgets, seen, takeAsked, stop: end };
}

function whatIsAsked({ path }: KubeRequest): string {
  const query = new URLSearchParams(path.split('?')[1]);
  if (query.has('watch')) return `watch ${query.get('resourceVersion')}`;
  return query.has('continue') ? 'next page' : query.has('limit') ? 'list' : 'list in one piece';
}

const refusal = (code: number, reason: string) => failureStatus({ code, reason });

test('Reflector lists in pages, then watches with bookmarks from that revision', async () => {
  const { clock, api, widgets, seen, stop } = setUp({ names: 'abc' });
  await clock.advance(0);
  await widgets.create(aWidget('d'));
  await widgets.delete({ name: 'a', namespace: 'default' });
  await clock.advance(0);
  expect(seen).toEqual(['replace a b c', 'put d', 'remove a']);
  const watch = api.requests.find(({ path }) => path.includes('watch=true'));
  expect(watch?.path).toContain('allowWatchBookmarks=true&resourceVersion=4&timeoutSeconds=300');
  await stop();
});

test('Reflector goes on at once, from the last revision or bookmark, when the server ends the stream', async () => {
  const { clock, api, widgets, seen, takeAsked, stop } = setUp();
  await clock.advance(0);
  await widgets.create(aWidget('a'));
  await clock.advance(1000);
  takeAsked();
  api.endWatches();
  await clock.advance(0);
  api.seed({ group: '', plural: 'others' }, aWidget('x'));
  api.bookmark();
  await clock.advance(0);
  api.endWatches();
  await clock.advance(0);
  expect(takeAsked()).toEqual([
    { atMs: 1000, what: 'watch 2' },
    { atMs: 1000, what: 'watch 3' },
  ]);
  expect(seen).toEqual(['replace ', 'put a']);
  await stop();
});

test('Reflector waits longer each time while the server is away, and starts short again after that', async () => {
  const { clock, api, takeAsked, stop } = setUp();
  await clock.advance(1000);
  const times: number[] = [];
  api.intercept(() => {
    times.push(clock.monotonicMs());
    throw new UnreachableError('away');
  });
  api.endWatches(new Error('reset'));
  await clock.advance(100_000);
  expect(times.slice(0, 7).map((atMs) => atMs - 1000)).toEqual([800, 2400, 5600, 12_000, 24_800, 50_400, 80_400]);
  api.intercept(undefined);
  await clock.advance(30_000 + 60_000);
  takeAsked();
  api.endWatches(new Error('reset'));
  await clock.advance(0);
  expect(clock.nextTimerMs()).toBe(800);
  await stop();
});

test('Reflector never asks in a hot loop when streams end as soon as they begin', async () => {
  const { clock, api, stop } = setUp();
  let watches = 0;
  api.intercept(({ path }) => {
    if (!path.includes('watch=true')) return;
    watches++;
    setImmediate(() => api.endWatches());
  });
  for (let second = 0; second < 60; second++) await clock.advance(1000);
  expect(watches).toBeGreaterThan(2);
  expect(watches).toBeLessThan(10);
  await stop();
});

test('Reflector gives a silent stream up half a minute after its time limit', async () => {
  const { clock, takeAsked, stop } = setUp();
  await clock.advance(0);
  takeAsked();
  await clock.advance(329_999);
  expect(takeAsked()).toEqual([]);
  await clock.advance(1);
  expect(takeAsked()).toEqual([{ atMs: 330_000, what: 'watch 1' }]);
  await stop();
});

test('Reflector lists anew, after a moment, when its revision is gone', async () => {
  const { clock, api, widgets, seen, takeAsked, stop } = setUp({ random: () => 0.5 });
  await widgets.create(aWidget('a'));
  await clock.advance(1000);
  api.intercept(() => {
    throw new UnreachableError('away');
  });
  api.endWatches(new Error('reset'));
  await clock.advance(0);
  api.intercept(undefined);
  await widgets.create(aWidget('b'));
  api.compact();
  seen.length = 0;
  takeAsked();
  await clock.advance(5000);
  expect(seen).toEqual(['replace a b']);
  await stop();
});

test('Reflector reads a list in one piece after its snapshot was lost between two pages', async () => {
  const { clock, api, seen, stop } = setUp({ names: 'abcde' });
  const lists: string[] = [];
  api.intercept(async (request) => {
    const what = whatIsAsked(request);
    lists.push(what);
    if (what === 'next page') {
      api.seed(Widgets, aWidget('f'));
      api.compact();
    }
  });
  await clock.advance(10_000);
  expect(lists).toEqual(['next page', 'list in one piece', 'watch 7']);
  expect(seen).toEqual(['replace a b c d e f']);
  await stop();
});

// what the server answers to the watch | is the list read again
const refusals: [string, unknown, boolean][] = [
  ['410 Expired', refusal(410, 'Expired'), true],
  ['410 Gone', refusal(410, 'Gone'), true],
  ['400 BadRequest', refusal(400, 'BadRequest'), true],
  [
    '504 of a server set back',
    { ...refusal(504, 'Timeout'), details: { causes: [{ reason: 'ResourceVersionTooLarge' }] } },
    true,
  ],
  ['429 TooManyRequests', refusal(429, 'TooManyRequests'), false],
  ['500 InternalError', refusal(500, 'InternalError'), false],
  ['403 Forbidden', refusal(403, 'Forbidden'), true],
];

test.each(refusals)('Reflector whose watch is refused with %s comes back', async (_, status, isListed) => {
  const { clock, api, seen, takeAsked, stop } = setUp();
  await clock.advance(1000);
  takeAsked();
  const asked: string[] = [];
  api.intercept((request) => {
    asked.push(whatIsAsked(request));
    if (asked.length === 1) throw new StatusError(status as never);
  });
  api.endWatches();
  await clock.advance(5000);
  expect(asked).toEqual(isListed ? ['watch 1', 'list', 'watch 1'] : ['watch 1', 'watch 1']);
  expect(seen).toHaveLength(isListed ? 2 : 1);
  await stop();
});

// a frame that cannot be used
const frames: [string, unknown][] = [
  ['without a resourceVersion', { type: 'MODIFIED', object: { metadata: { name: 'a' } } }],
  ['without a name', { type: 'MODIFIED', object: { metadata: { resourceVersion: '9' } } }],
  ['without metadata', { type: 'DELETED', object: {} }],
  ['of an unknown type', { type: 'MOVED', object: { metadata: { name: 'a', resourceVersion: '9' } } }],
  ['that is an error of the server', { type: 'ERROR', object: refusal(500, 'InternalError') }],
  ['that is an error and no Status', { type: 'ERROR', object: {} }],
];

test.each(frames)('Reflector lists anew after a frame %s', async (_, frame) => {
  const clock = new ManualClock();
  const api = inMemoryApi({ clock });
  let streams = 0;
  const transport: Transport = {
    request: (request) => api.request(request),
    async *stream(request, signal) {
      streams++;
      if (streams === 1) yield frame as WatchFrame;
      else yield* api.stream(request, signal);
    },
  };
  const seen: string[] = [];
  const sink = {
    replace: () => void seen.push('replace'),
    put: () => void seen.push('put'),
    remove: () => void seen.push('remove'),
  };
  const stop = new AbortController();
  const client = new Kube(transport, { clock }).resource(Widgets);
  const running = new Reflector({ client, sink, clock, random: () => 0 }).run(stop.signal);
  await clock.advance(800);
  expect(seen).toEqual(['replace', 'replace']);
  stop.abort();
  await running;
});

test('Reflector heeds how long an overloaded server wants to be left alone', async () => {
  const { clock, api, stop } = setUp();
  await clock.advance(1000);
  api.intercept(() => {
    throw new StatusError(failureStatus({ code: 429, reason: 'TooManyRequests', details: { retryAfterSeconds: 7 } }));
  });
  api.endWatches();
  await clock.advance(0);
  expect(clock.nextTimerMs()).toBe(7000);
  await stop();
});

test('Reflector says nothing the first time that its resource is not served, and warns from then on', async () => {
  const clock = new ManualClock();
  const transport: Transport = {
    request: () => Promise.resolve({ status: 404, headers: {}, body: refusal(404, 'NotFound') }),
    stream: async function* () {},
  };
  const said: string[] = [];
  const note = (level: string) => (message: string) => void said.push(`${level}: ${message}`);
  const log = { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') };
  const client = new Kube(transport, { clock }).resource(Widgets);
  const sink = { replace: () => {}, put: () => {}, remove: () => {} };
  const stop = new AbortController();
  const running = new Reflector({ client, sink, clock, log, random: () => 0 }).run(stop.signal);
  await clock.advance(2_000);
  stop.abort();
  await running;
  expect(said.slice(0, 2)).toEqual(['debug: watch interrupted, trying again', 'warn: watch interrupted, trying again']);
});
