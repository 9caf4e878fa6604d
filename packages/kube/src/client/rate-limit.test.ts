import { expect, test, vi } from 'vitest';
import { inMemoryApi } from '../testing/in-memory-api.js';
import { ManualClock } from '../testing/manual-clock.js';
import { Widgets } from '../testing/widgets.js';
import { Kube } from './client.js';

test('a request that waits for its slot keeps the process alive until it is sent or aborted', async () => {
  const clock = new ManualClock();
  const widgets = new Kube(inMemoryApi(), { clock, qps: 1, burst: 1 }).resource(Widgets);
  await widgets.list();
  const started = vi.spyOn(globalThis, 'setInterval');
  const cleared = vi.spyOn(globalThis, 'clearInterval');
  const isHeld = () =>
    started.mock.results.map(({ value }) => value.hasRef() && !cleared.mock.calls.flat().includes(value));
  const stopping = new AbortController();
  const [sent, aborted] = [widgets.list(), widgets.list({ signal: stopping.signal }).catch(() => 'aborted')];
  expect(isHeld()).toEqual([true, true]);
  stopping.abort();
  expect(await aborted).toBe('aborted');
  expect(isHeld()).toEqual([true, false]);
  await clock.advance(1_000);
  await sent;
  expect(isHeld()).toEqual([false, false]);
});
