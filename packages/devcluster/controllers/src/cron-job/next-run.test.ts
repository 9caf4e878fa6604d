import { parseCronSchedule } from '@slipway/kube-objects/rules/cron-schedule';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dueRuns, nextRun } from './next-run.js';
import { momentOf, wallAt } from './wall-clock.js';

// schedule | time zone | after | next run
const runs: [string, string, string, string | undefined][] = [
  ['* * * * *', 'UTC', '2026-01-01T00:00:00Z', '2026-01-01T00:01:00Z'],
  ['* * * * *', 'UTC', '2026-01-01T00:00:59.999Z', '2026-01-01T00:01:00Z'],
  ['30 4 * * *', 'UTC', '2026-01-01T04:30:00Z', '2026-01-02T04:30:00Z'],
  ['0 0 29 2 *', 'UTC', '2026-01-01T00:00:00Z', '2028-02-29T00:00:00Z'],
  ['59 23 31 2 *', 'UTC', '2026-01-01T00:00:00Z', undefined],
  ['0 0 13 * 5', 'UTC', '2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'],
  ['0 0 * * 1', 'UTC', '2026-01-01T00:00:00Z', '2026-01-05T00:00:00Z'],
  ['@every 90s', 'UTC', '2026-01-01T00:00:00.500Z', '2026-01-01T00:01:30Z'],
  ['0 9 * * *', 'Europe/Berlin', '2026-01-01T00:00:00Z', '2026-01-01T08:00:00Z'],
  ['0 9 * * *', 'Europe/Berlin', '2026-07-01T00:00:00Z', '2026-07-01T07:00:00Z'],
  ['0 9 * * *', 'Asia/Kolkata', '2026-01-01T00:00:00Z', '2026-01-01T03:30:00Z'],
  // Clocks go from 02:00 to 03:00: half past two does not come that day.
  ['30 2 * * *', 'Europe/Berlin', '2026-03-29T00:00:00Z', '2026-03-30T00:30:00Z'],
];

test.each(runs)('nextRun() of %s in %s after %s', (text, timeZone, after, expected) => {
  const ms = nextRun(parseCronSchedule(text), Date.parse(after), timeZone);
  expect(ms && new Date(ms).toISOString()).toBe(expected && new Date(expected).toISOString());
});

// schedule | after | until | latest run | too many
const due: [string, string, string, string | undefined, boolean][] = [
  ['0 * * * *', '2026-01-01T00:00:00Z', '2026-01-01T00:59:59Z', undefined, false],
  ['0 * * * *', '2026-01-01T00:00:00Z', '2026-01-01T01:00:00Z', '2026-01-01T01:00:00Z', false],
  ['0 * * * *', '2026-01-01T00:00:00Z', '2026-01-01T05:30:00Z', '2026-01-01T05:00:00Z', false],
  ['* * * * *', '2026-01-01T00:00:00Z', '2036-01-01T00:00:30Z', '2036-01-01T00:00:00Z', true],
  ['30 6-16/4 * * 1-5', '2026-01-01T00:00:00Z', '2026-06-07T00:00:00Z', '2026-06-05T14:30:00Z', true],
  ['59 23 31 2 *', '2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z', undefined, false],
];

test.each(due)('dueRuns() of %s after %s until %s', (text, after, until, latest, tooMany) => {
  const runs = dueRuns(parseCronSchedule(text), Date.parse(after), Date.parse(until), 'UTC');
  expect(runs).toEqual({ latestMs: latest && Date.parse(latest), tooMany });
});

test('any moment: what clocks show leads back to a moment at which they show it', () => {
  const zones = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe');
  const moments = fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2030, 0) });
  fc.assert(
    fc.property(moments, zones, (ms, timeZone) => {
      const wall = wallAt(ms, timeZone);
      const back = momentOf(wall, timeZone);
      expect(back !== undefined && wallAt(back, timeZone)).toBe(wall);
    }),
  );
});
