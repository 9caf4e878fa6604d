import { expect, test } from 'vitest';
import { humanDuration, timeSince } from './human-duration.js';

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000];
const year = 365 * day;

// The steps that kubectl's AGE column takes.
const cases: [number, string][] = [
  [-5 * second, '<invalid>'],
  [-1 * second, '0s'],
  [0, '0s'],
  [119 * second, '119s'],
  [2 * minute, '2m'],
  [2 * minute + 5 * second, '2m5s'],
  [9 * minute + 59 * second, '9m59s'],
  [10 * minute + 30 * second, '10m'],
  [179 * minute, '179m'],
  [3 * hour, '3h'],
  [3 * hour + 12 * minute, '3h12m'],
  [8 * hour + 30 * minute, '8h'],
  [47 * hour, '47h'],
  [2 * day + 3 * hour, '2d3h'],
  [7 * day + 23 * hour, '7d23h'],
  [8 * day + 3 * hour, '8d'],
  [729 * day, '729d'],
  [2 * year + 40 * day, '2y40d'],
  [8 * year + 40 * day, '8y'],
];

test.each(cases)('humanDuration(%d) is %s', (ms, text) => {
  expect(humanDuration(ms)).toBe(text);
});

test('timeSince() of nothing is unknown', () => {
  expect(timeSince(undefined, 0)).toBe('<unknown>');
  expect(timeSince(null, 0)).toBe('<unknown>');
  expect(timeSince('1970-01-01T00:00:00Z', 90 * second)).toBe('90s');
});
