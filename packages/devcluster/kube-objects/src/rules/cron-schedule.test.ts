import { expect, test } from 'vitest';
import { parseCronSchedule } from './cron-schedule.js';

// schedule | minutes, hours, days of month, months, days of week; `*` when all
const schedules: [string, string][] = [
  ['* * * * *', '* * * * *'],
  ['5 4 ? jan,DEC sun', '5 4 * 1,12 0'],
  ['*/20 8-10 1 */6 1-5', '0,20,40 8,9,10 1 1,7 1,2,3,4,5'],
  ['10/25 * * * *', '10,35 * * * *'],
  ['1-9/4,30 0 * * *', '1,5,9,30 0 * * *'],
  ['@yearly', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
];

test.each(schedules)('parseCronSchedule() of %s', (text, expected) => {
  const schedule = parseCronSchedule(text);
  if (schedule.kind !== 'at') throw new Error('not at times of day');
  const shown = (values: ReadonlySet<number>, all: number) => (values.size === all ? '*' : [...values].join());
  const { minutes, hours, days, months, weekdays } = schedule;
  const fields = [shown(minutes, 60), shown(hours, 24), shown(days, 31), shown(months, 12), shown(weekdays, 7)];
  expect(fields.join(' ')).toBe(expected);
});

test.each([
  ['* * 1 * 1', true],
  ['* * * * 1', false],
  ['* * 1 * *', false],
  ['* * */2 * 1', true],
])('parseCronSchedule() of %s: either day is enough: %s', (text, expected) => {
  expect(parseCronSchedule(text)).toMatchObject({ eitherDay: expected });
});

test.each([
  ['@every 1h30m', 5_400_000],
  ['@every 1500ms', 1_000],
  ['@every 0s', 1_000],
])('parseCronSchedule() of %s', (text, ms) => {
  expect(parseCronSchedule(text)).toEqual({ kind: 'every', ms });
});

test.each([
  ['* * * *', 'expected exactly 5 fields, found 4: [* * * *]'],
  ['60 * * * *', 'end of range (60) above maximum (59): 60'],
  ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
  ['5-3 * * * *', 'beginning of range (5) beyond end of range (3): 5-3'],
  ['*/0 * * * *', 'step of range should be a positive number: */0'],
  ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
  ['1/2/3 * * * *', 'too many slashes: 1/2/3'],
  ['x * * * *', 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
  ['@never', 'unrecognized descriptor: @never'],
  ['@every day', 'failed to parse duration @every day: time: invalid duration "day"'],
])('parseCronSchedule() refuses %s', (text, message) => {
  expect(() => parseCronSchedule(text)).toThrow(message);
});
