import fc from 'fast-check';
import { expect, test } from 'vitest';
import { StepClock } from '../testing/step-clock.js';
import { ChosenLimit, type LimitSetter } from './chosen-limit.js';

function chosen(limit: number) {
  const clock = new StepClock();
  const said: string[] = [];
  const apply = (to: number, source: string) => said.push(`${to} ${source}`);
  return {
    clock,
    said,
    last: () => said.at(-1),
    it: new ChosenLimit({ clock, limit, source: 'configuration', apply }),
  };
}

test('a limit by hand holds until the configuration is read again', () => {
  const { it, last } = chosen(4);
  it.set('manual', { limit: 2 });
  expect(last()).toBe('2 manual');
  it.configured(5, 'configuration');
  expect(last()).toBe('5 configuration');
});

test('a limit by hand for a time outlives what is read, and ends with that', async () => {
  const { it, last, clock } = chosen(4);
  it.set('manual', { limit: 2, forMs: 60_000 });
  it.configured(5, '/var/lib/kubelet/config.yaml');
  expect(last()).toBe('2 manual');
  await clock.advance(60_000);
  expect(last()).toBe('5 /var/lib/kubelet/config.yaml');
});

test('the later of two limits by hand counts, with its own time', async () => {
  const { it, last, clock } = chosen(4);
  it.set('manual', { limit: 2, forMs: 60_000 });
  it.set('manual', { limit: 3 });
  await clock.advance(60_000);
  expect(last()).toBe('3 manual');
});

test('the limit of the cluster ends when it is not renewed, and a renewal changes nothing else', async () => {
  const { it, said, clock } = chosen(4);
  it.set('cluster', { limit: 2, forMs: 60_000 });
  await clock.advance(40_000);
  it.set('cluster', { limit: 2, forMs: 60_000 });
  await clock.advance(40_000);
  expect(said).toEqual(['2 cluster']);
  await clock.advance(20_000);
  expect(said).toEqual(['2 cluster', '4 configuration']);
});

test('while bypassed nothing limits, and afterwards what held before does', () => {
  const { it, last } = chosen(4);
  it.set('manual', { limit: 2 });
  it.bypass(true);
  expect(last()).toBe('0 bypass');
  it.bypass(false);
  expect(last()).toBe('2 manual');
});

test('any story: by hand goes before the cluster, and that before the configuration; each expires by itself', async () => {
  const setter = fc.constantFrom<LimitSetter>('manual', 'cluster');
  const action = fc.oneof(
    fc.record({ do: fc.constant('set' as const), setter, limit: fc.nat(9), forMs: fc.integer({ min: 1, max: 50 }) }),
    fc.record({ do: fc.constant('withdraw' as const), setter }),
    fc.record({ do: fc.constant('pass' as const), ms: fc.nat(40) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 20 }), async (actions) => {
      const { it, last, clock } = chosen(4);
      const expected = new Map<LimitSetter, { limit: number; untilMs: number }>();
      for (const one of actions) {
        if (one.do === 'set') {
          expected.set(one.setter, { limit: one.limit, untilMs: clock.monotonicMs() + one.forMs });
          it.set(one.setter, one);
        } else if (one.do === 'withdraw') {
          expected.delete(one.setter);
          it.withdraw(one.setter);
        } else await clock.advance(one.ms);
        for (const [key, { untilMs }] of expected) if (untilMs <= clock.monotonicMs()) expected.delete(key);
        const wins = (['manual', 'cluster'] as const).find((key) => expected.has(key));
        expect(last() ?? '4 configuration').toBe(wins ? `${expected.get(wins)?.limit} ${wins}` : '4 configuration');
      }
    }),
  );
});
