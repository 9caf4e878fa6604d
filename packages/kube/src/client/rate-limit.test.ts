import { expect, test } from 'vitest';
import { inMemoryApi } from '../testing/in-memory-api.js';
import { ManualClock } from '../testing/manual-clock.js';
import { Widgets } from '../testing/widgets.js';
import { Kube } from './client.js';

/** Timers that keep the process alive. */
const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;

test('a request that waits for its slot keeps the process alive until it is sent or aborted', async () => {
  const clock = new ManualClock();
  const widgets = new Kube(inMemoryApi(), { clock, qps: 1, burst: 1 }).resource(Widgets);
  await widgets.list();
  const before = timers();
  const stopping = new AbortController();
  const [sent, aborted] = [widgets.list(), widgets.list({ signal: stopping.signal }).catch(() => 'aborted')];
  expect(timers() - before).toBe(2);
  stopping.abort();
  expect(await aborted).toBe('aborted');
  await clock.advance(1_000);
  await sent;
  expect(timers() - before).toBe(0);
});
