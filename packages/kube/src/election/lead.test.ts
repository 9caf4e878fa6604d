import { afterEach, beforeEach, expect, test } from 'vitest';
import { Kube } from '../client/client.js';
import { silentLog } from '../log/logger.js';
import { inMemoryApi, ManualClock } from '../testing/index.js';
import { UnreachableError } from '../transport/responses.js';
import type { Transport } from '../transport/transport.js';
import { lead } from './lead.js';
import { leases } from './leases.js';

let clock: ManualClock;
let api: ReturnType<typeof inMemoryApi>;
let stops: (() => void)[];

beforeEach(() => {
  clock = new ManualClock();
  api = inMemoryApi({ clock });
  stops = [];
});
afterEach(async () => {
  for (const stop of stops) stop();
  await clock.advance(20_000);
});

/** Starts a process that competes for the lease; once it is cut off, none of its requests arrives. */
function candidate(identity: string) {
  const stopping = new AbortController();
  const process = { leads: false, isCutOff: false, stop: () => stopping.abort() };
  const transport: Transport = {
    request: async (request) => {
      if (process.isCutOff) throw new UnreachableError('no route to the API server');
      return await api.request(request);
    },
    stream: (request, signal) => api.stream(request, signal),
  };
  const work = async (signal: AbortSignal) => {
    process.leads = true;
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    process.leads = false;
  };
  const lease = { namespace: 'kube-system', name: 'example', identity };
  void lead({ kube: new Kube(transport, { clock }), lease, log: silentLog }, work, stopping.signal);
  stops.push(process.stop);
  return process;
}

test('lead() runs the work of one of two candidates, for as long as it renews', async () => {
  const a = candidate('a');
  await clock.advance(0);
  const b = candidate('b');
  await clock.advance(120_000);
  expect([a.leads, b.leads]).toEqual([true, false]);
  expect(api.stored(leases)[0]?.spec?.holderIdentity).toBe('a');
});

test('lead() releases the lease when it is stopped, so that the next candidate leads at once', async () => {
  const a = candidate('a');
  await clock.advance(0);
  const b = candidate('b');
  a.stop();
  await clock.advance(4_000);
  expect([a.leads, b.leads]).toEqual([false, true]);
});

test('lead() renews by one request, also after another client wrote the lease or deleted it', async () => {
  const a = candidate('a');
  await clock.advance(0);
  const methods: string[] = [];
  api.intercept(({ method }) => {
    methods.push(method);
    return undefined;
  });
  await clock.advance(6_000);
  expect(methods).toEqual(['PUT', 'PUT', 'PUT']);
  const admin = new Kube(api, { clock });
  const ref = { namespace: 'kube-system', name: 'example' };
  await admin.resource(leases).merge(ref, { metadata: { labels: { seen: 'true' } } });
  methods.length = 0;
  await clock.advance(2_000);
  expect([methods, a.leads]).toEqual([['PUT', 'GET', 'PUT'], true]);
  expect(api.stored(leases)[0]?.metadata.labels).toEqual({ seen: 'true' });
  await admin.resource(leases).delete(ref);
  methods.length = 0;
  await clock.advance(2_000);
  expect([methods, a.leads]).toEqual([['PUT', 'GET', 'POST'], true]);
});

test('lead() acquires the lease of a candidate that is cut off within 20 s', async () => {
  const a = candidate('a');
  await clock.advance(0);
  const b = candidate('b');
  await clock.advance(3_000);
  a.isCutOff = true;
  await clock.advance(10_000);
  expect(b.leads).toBe(false);
  await clock.advance(10_000);
  expect(b.leads).toBe(true);
});

test('lead() stops its work before another candidate can begin when its requests fail', async () => {
  const a = candidate('a');
  await clock.advance(0);
  const b = candidate('b');
  api.intercept((request) => {
    if (request.body && JSON.stringify(request.body).includes('"a"')) throw new Error('no route');
  });
  for (let second = 0; second < 60; second++) {
    await clock.advance(1_000);
    expect(a.leads && b.leads).toBe(false);
  }
  expect(b.leads).toBe(true);
});
