import { Kube, silentLog } from '@slipway/kube';
import { inMemoryApi, ManualClock } from '@slipway/kube/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FaultyTransport } from '../testing/faulty-transport.js';
import { Lease, lead } from './lead.js';

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

/** A process that wants to lead, and whether it does. */
function candidate(identity: string) {
  const transport = new FaultyTransport(api, clock);
  const stopping = new AbortController();
  const process = { transport, leads: false, stop: () => stopping.abort() };
  const work = async (signal: AbortSignal) => {
    process.leads = true;
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    process.leads = false;
  };
  const lease = { namespace: 'kube-system', name: 'slipway-balloons', identity };
  void lead({ kube: new Kube(transport, { clock }), lease, log: silentLog }, work, stopping.signal);
  stops.push(process.stop);
  return process;
}

test('of two one leads, for as long as it lives', async () => {
  const a = candidate('a');
  await clock.advance(0);
  const b = candidate('b');
  await clock.advance(120_000);
  expect([a.leads, b.leads]).toEqual([true, false]);
  expect(api.stored(Lease)[0]?.spec?.holderIdentity).toBe('a');
});

test('one that stops lets the next one in at once', async () => {
  const a = candidate('a');
  await clock.advance(0);
  const b = candidate('b');
  a.stop();
  await clock.advance(4_000);
  expect([a.leads, b.leads]).toEqual([false, true]);
});

test('"leader failover <= 20 s": one that dies is followed after its lease', async () => {
  const a = candidate('a');
  await clock.advance(0);
  const b = candidate('b');
  await clock.advance(3_000);
  a.transport.die();
  await clock.advance(10_000);
  expect(b.leads).toBe(false);
  await clock.advance(10_000);
  expect(b.leads).toBe(true);
});

test('one that reaches nobody stops before another may begin', async () => {
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
