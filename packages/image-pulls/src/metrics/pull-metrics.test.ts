import { expect, test } from 'vitest';
import { PullLimiter } from '../limiter/pull-limiter.js';
import { settled } from '../testing/step-clock.js';
import { PullMetrics } from './pull-metrics.js';

test('PullMetrics shows what runs, what waits and what was', async () => {
  const metrics = new PullMetrics();
  const limiter = new PullLimiter<string>({ limit: 1, onRecord: (record) => metrics.note(record) });
  const ends: (() => void)[] = [];
  const ask = (image: string, mode: 'wait' | 'fail' = 'wait') => {
    const run = () => new Promise<string>((resolve) => ends.push(() => resolve('ok')));
    const what = { key: image, image, registry: 'r', presence: 'absent', onFull: { mode }, limit: 0, run } as const;
    limiter.pull(what, new AbortController().signal).catch(() => {});
  };
  for (const image of ['a', 'a', 'b']) ask(image);
  ask('c', 'fail');
  ends[0]?.();
  await settled();
  const page = metrics.page(limiter.state());
  expect(page).toContain('# TYPE slipway_pulls_limit gauge\nslipway_pulls_limit 1\n');
  expect(page).toContain('slipway_pulls_running 1\n');
  expect(page).toContain('slipway_pulls_waiting 0\n');
  expect(page).toContain('slipway_pulls_started_total{lane="place"} 2\n');
  expect(page).toContain('slipway_pulls_coalesced_total 1\n');
  expect(page).toContain('slipway_pulls_ended_total{outcome="ok"} 1\n');
  expect(page).toContain('slipway_pulls_refused_total{reason="TooManyPullingInParallel"} 1\n');
  expect(page).toContain('slipway_pulls_pulled_seconds_count 1\n');
  expect(page).not.toMatch(/image=/);
});
