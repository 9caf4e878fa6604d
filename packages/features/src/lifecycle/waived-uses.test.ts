import { expect, test } from 'vitest';
import type { Waiver } from '../api/feature.js';
import { waiversInForce } from './waived-uses.js';

const nowMs = Date.parse('2026-01-01T00:00:00Z');

test.each([
  ['2026-01-08T00:00:00Z', true],
  ['2026-01-31T00:00:00Z', true], // 30 days
  ['2026-01-31T00:00:01Z', false],
  ['2026-01-01T00:00:00Z', false],
  ['2025-12-31T00:00:00Z', false],
  ['soon', false],
])('waiversInForce() of one until %s has it: %s', (expires, holds) => {
  const waiver: Waiver = { id: 'w', node: 'n1', reason: 'its disk is being replaced', by: 'anna', expires };
  expect(waiversInForce([waiver], nowMs)).toEqual(holds ? [waiver] : []);
});
