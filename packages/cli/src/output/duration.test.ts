import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatDuration, parseDuration, renderAge } from './duration.js';

test.each([
  ['60s', 60_000],
  ['1m30s', 90_000],
  ['1h0m0s', 3_600_000],
  ['250ms', 250],
  ['1.5h', 5_400_000],
  ['.5s', 500],
  ['1500us', 2],
  ['7d', 604_800_000],
  ['0', 0],
])('parseDuration(%s) is %d ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each(['', '60', 's', '1x', '-5s', '5s ', '1m 30s', '.s'])(
  'parseDuration(%j) is rejected with an example',
  (text) => {
    expect(() => parseDuration(text)).toThrow(/not a duration \(try 60s or 5m\)/);
  },
);

test.each([
  [0, '0s'],
  [250, '250ms'],
  [60_000, '1m0s'],
  [4_500, '4.5s'],
  [3_600_000, '1h0m0s'],
])('formatDuration(%d) is %s, as Go writes it', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test('parseDuration() reads every duration that formatDuration() writes', () => {
  fc.assert(fc.property(fc.nat(2_000_000_000), (ms) => parseDuration(formatDuration(ms)) === ms));
});

test.each([
  [0, '0s'],
  [119_000, '119s'],
  [120_000, '2m'],
  [7_200_000, '2h'],
  [172_800_000, '2d'],
  [-5_000, '0s'],
])('renderAge() of %d ms is %s', (ms, text) => {
  const from = Date.UTC(2026, 0, 1);
  expect(renderAge(new Date(from).toISOString(), from + ms)).toBe(text);
});
