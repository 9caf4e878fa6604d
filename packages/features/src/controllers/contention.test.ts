import { expect, test } from 'vitest';
import type { Feature } from '../api/feature.js';
import { Contention } from './contention.js';

const version = (resourceVersion: string, generation = 1): Feature => ({
  apiVersion: 'features.slipway.dev/v1alpha1',
  kind: 'Feature',
  metadata: { name: 'x', namespace: 'acme', resourceVersion, generation },
  spec: { gate: 'X' },
});

test('Contention: what another writer changes right after this server is answered a second later, once', () => {
  let nowMs = 0;
  const contention = new Contention(() => nowMs);
  expect(contention.waitMs(version('1'), 20)).toBe(0);
  contention.wrote(version('1'), version('2'));
  nowMs = 300;
  expect(contention.waitMs(version('3'), 20)).toBe(700);
  nowMs = 1_000;
  expect(contention.waitMs(version('3'), 20)).toBe(0);
});

test('Contention: its own write is only followed up when reports were gathered; what its cache shows late and the wish of a person do not wait', () => {
  const contention = new Contention(() => 0);
  contention.wrote(version('1'), version('2'));
  contention.wrote(version('2'), version('3'));
  expect(['1', '2', '3'].map((known) => contention.waitMs(version(known), 20))).toEqual([0, 0, 20]);
  expect(contention.waitMs(version('4', 2), 20)).toBe(0);
});
