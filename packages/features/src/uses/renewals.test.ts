import { expect, test } from 'vitest';
import { Renewals } from './renewals.js';

test('Renewals judges by changes it has witnessed, and gives what is new time to show one', () => {
  const renewals = new Renewals();
  renewals.observe('a', 'long ago', 1_000);
  expect(renewals.renewedMs('a')).toBeUndefined();
  expect(renewals.isLive('a', 40_999, 40_000)).toBe(true);
  expect(renewals.isLive('a', 41_000, 40_000)).toBe(false);
  renewals.observe('a', 'long ago', 50_000);
  expect(renewals.isLive('a', 50_000, 40_000)).toBe(false);
  renewals.observe('a', 'later', 60_000);
  expect(renewals.renewedMs('a')).toBe(60_000);
  expect(renewals.isLive('a', 99_999, 40_000)).toBe(true);
  renewals.forget('a');
  expect(renewals.isLive('a', 60_001, 40_000)).toBe(false);
});
