import { InformerFactory, Kube, silentLog } from '@slipway/kube';
import { inMemoryApi, ManualClock } from '@slipway/kube/testing';
import { beforeEach, expect, test } from 'vitest';
import { Lease, type LeaseObject } from '../uses/watch-rosters.js';
import { FencedError } from './fence.js';
import { joinServers, type Membership } from './join-servers.js';
import { leaderOf } from './leader.js';
import { leaseRefOf } from './server-lease.js';
import { serverLiveness } from './server-liveness.js';

const names = Array.from({ length: 40 }, (_, index) => ({ namespace: 'kube-system', name: `gate-${index}` }));

const namespace = 'slipway-elsewhere';

let clock: ManualClock;
let api: ReturnType<typeof inMemoryApi>;
beforeEach(() => {
  clock = new ManualClock();
  api = inMemoryApi({ clock });
});

interface Server extends Membership {
  readonly name: string;
  /** Nothing it sends arrives any more, and nothing comes back. */
  cutOff(isOff: boolean): void;
  stop(): Promise<void>;
}

function start(name: string, its: { readonly version?: string; readonly catalogue?: string } = {}): Server {
  let isOff = false;
  const kube = new Kube(
    {
      request: (request) => (isOff ? Promise.reject(new Error('no route to host')) : api.request(request)),
      stream: (request, signal) => api.stream(request, signal),
    },
    { clock },
  );
  const informers = new InformerFactory(kube, { log: silentLog });
  const joined = joinServers({
    kube,
    informers,
    log: silentLog,
    name,
    namespace,
    incarnation: 'first',
    shipped: [],
    ...its,
  });
  const stopping = new AbortController();
  informers.start();
  void joined.lease.start(stopping.signal);
  return {
    ...joined,
    name,
    cutOff: (value) => {
      isOff = value;
    },
    async stop() {
      stopping.abort();
      joined.leadership.stop();
      await joined.lease.release();
    },
  };
}

const led = (server: Server) => names.filter((ref) => server.leadership.leads(ref)).length;
const leaders = (...servers: Server[]) =>
  names.map((ref) => servers.filter((server) => server.leadership.leads(ref)).map(({ name }) => name));

test('Leadership: who is alone leads everything at once', async () => {
  const a = start('a');
  expect(led(a)).toBe(0);
  await clock.advance(0);
  expect(led(a)).toBe(40);
});

test('Leadership: it also does after a crash, whose lease is its own', async () => {
  api.seed(Lease, {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { ...leaseRefOf('a', namespace), labels: { 'features.slipway.dev/component': 'feature-server' } },
    spec: { holderIdentity: 'a_before', renewTime: '2026-01-01T00:00:00.000000Z' },
  });
  const a = start('a');
  await clock.advance(0);
  expect(led(a)).toBe(40);
});

test('Leadership: each Feature has exactly one leader, 5 s after a second server came; the others stay where they are', async () => {
  const a = start('a');
  await clock.advance(60_000);
  const b = start('b');
  await clock.advance(100);
  const before = leaders(a, b);
  expect(before.filter((of) => of.length > 1)).toEqual([]);
  expect(led(b)).toBe(0);
  await clock.advance(5_000);
  const after = leaders(a, b);
  expect(after.every((of) => of.length === 1)).toBe(true);
  expect(after.filter(([of]) => of === 'a')).toEqual(before.filter(([of]) => of === 'a'));
  expect(led(b)).toBeGreaterThan(5);
});

test('Leadership: a server that dies is replaced within 25 s, one that stops within 5 s', async () => {
  const [a, b] = [start('a'), start('b')];
  await clock.advance(33_000);
  expect(led(a) + led(b)).toBe(40);
  b.cutOff(true);
  await clock.advance(24_000);
  expect(led(a)).toBe(40);
  const c = start('c');
  await clock.advance(10_000);
  expect(led(a)).toBeLessThan(40);
  await c.stop();
  await clock.advance(5_000);
  expect(led(a)).toBe(40);
});

test('Leadership: whoever is cut off stops writing before another server takes over, and waits when it is back', async () => {
  const [a, b] = [start('a'), start('b')];
  await clock.advance(30_000);
  const writes = () =>
    b.kube.resource(Lease).create({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: `x-${clock.now()}`, namespace },
      spec: {},
    });
  await expect(writes()).resolves.toBeDefined();
  const share = led(b);
  b.cutOff(true);
  let fencedMs: number | undefined;
  for (let ms = 0; led(a) < 40; ms += 500) {
    if (led(b) === 0) fencedMs ??= ms;
    await clock.advance(500);
  }
  expect(fencedMs).toBeLessThanOrEqual(10_500);
  await expect(writes()).rejects.toThrow(FencedError);
  b.cutOff(false);
  await clock.advance(1_500);
  await expect(writes()).resolves.toBeDefined();
  expect(led(b)).toBe(0);
  expect(led(a)).toBe(40 - share);
  await clock.advance(5_000);
  expect(led(b)).toBe(share);
});

test('Leadership: the lease of a server that was killed is cleared away after an hour', async () => {
  start('a');
  const b = start('b');
  await clock.advance(10_000);
  b.cutOff(true);
  await clock.advance(3_590_000);
  expect(api.stored(Lease)).toHaveLength(2);
  await clock.advance(30_000);
  expect(api.stored(Lease).map(({ metadata }) => metadata.name)).toEqual([leaseRefOf('a', namespace).name]);
});

test('Leadership: a server that stops leaves its lease without a holder, which a server that lives deletes', async () => {
  const a = start('a');
  await clock.advance(10_000);
  expect(a.leadership.servers()).toBe(1);
  await a.stop();
  const [left] = api.stored(Lease);
  expect(left?.spec).not.toHaveProperty('holderIdentity');
  expect(
    serverLiveness({ leases: api.stored(Lease) as readonly LeaseObject[], features: [], nowMs: clock.now() + 5_000 }),
  ).toEqual({
    kind: 'absent',
    silentMs: 5_000,
  });
  const b = start('b');
  await clock.advance(0);
  expect(led(b)).toBe(40);
  await clock.advance(5_100);
  expect(api.stored(Lease).map(({ metadata }) => metadata.name)).toEqual([leaseRefOf('b', namespace).name]);
});

test('Leadership: a server that starts anew under its name keeps its lease and leads at once', async () => {
  const before = start('a');
  await clock.advance(10_000);
  await before.stop();
  const a = start('a');
  await clock.advance(0);
  expect(led(a)).toBe(40);
  await clock.advance(20_000);
  expect(api.stored(Lease)).toHaveLength(1);
});

test('Leadership: clocks that are wrong by years change nothing', async () => {
  const a = start('a');
  await clock.advance(1_000);
  const renew = async (year: number) => {
    const ref = leaseRefOf('b', namespace);
    const spec = { holderIdentity: 'b_first', renewTime: `${year}-01-01T00:00:00.000000Z` };
    api.seed(Lease, {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { ...ref, labels: { 'features.slipway.dev/component': 'feature-server' }, annotations: {} },
      spec,
    });
    await clock.advance(0);
  };
  await renew(1999);
  // A server that says nothing of its version is older: it decides nothing.
  expect(led(a)).toBe(40);
  expect(a.leadership.catalogue()).toBe('0');
  for (let year = 2050; year < 2060; year++) {
    await clock.advance(5_000);
    await renew(year);
  }
  expect(a.leadership.catalogue()).toBe('0');
  await clock.advance(60_000);
  expect(a.leadership.catalogue()).not.toBe('0');
});

test('Leadership: while versions are mixed the newest decide, at what the oldest knows; a downgrade turns that back', async () => {
  const old = start('old', { version: '0.1.0', catalogue: '1.36' });
  await clock.advance(10_000);
  let changes = 0;
  old.leadership.onChange(() => changes++);
  const newer = start('newer', { version: '0.2.0', catalogue: '1.37' });
  await clock.advance(5_000);
  expect([led(old), led(newer)]).toEqual([0, 40]);
  expect(newer.leadership.catalogue()).toBe('1.36');
  expect(changes).toBeGreaterThan(0);
  old.cutOff(true);
  await clock.advance(50_000);
  expect(newer.leadership.catalogue()).toBe('1.36');
  await clock.advance(15_000);
  expect(newer.leadership.catalogue()).toBe('1.37');
  old.cutOff(false);
  await newer.stop();
  await clock.advance(10_000);
  expect(led(old)).toBe(40);
  expect(leaderOf(['old_first'], { name: 'x' })).toBe('old_first');
});
