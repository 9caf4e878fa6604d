import { expect, test } from 'vitest';
import type { FeatureUse, FeatureUseSpec } from '../api/feature-use.js';
import { aFeatureUse } from '../testing/a-feature-use.js';
import { KnownReports } from './known-reports.js';

function aUse(spec: Partial<FeatureUseSpec> = {}): FeatureUse {
  return aFeatureUse({ component: 'agent', instance: 'a', vector: 'v-1', epoch: 3, renewTime: 't0', ...spec }, 'acme');
}

// what is written after the first report | what it changes
test.each<[string, Partial<FeatureUseSpec>, string]>([
  ['a heartbeat', { renewTime: 't1' }, 'confirmation'],
  ['a heartbeat of a newer round', { renewTime: 't1', epoch: 4 }, 'confirmation'],
  ['the same once more', {}, 'nothing'],
  ['a restart that changed nothing', { incarnation: '2' }, 'nothing'],
  ['other values', { vector: 'v-2' }, 'values'],
  ['another gate asked for', { queried: 'Ag==' }, 'values'],
  ['a newer version', { binaryVersion: '1.35.0' }, 'values'],
])('KnownReports: %s', (_what, spec, change) => {
  const known = new KnownReports();
  expect(known.observe(aUse(), 0)).toBe('values');
  expect(known.observe(aUse(spec), 300_000)).toBe(change);
});

test('KnownReports notices once what is not renewed any more, and what comes back', () => {
  const known = new KnownReports();
  known.observe(aUse(), 0);
  known.observe(aUse({ renewTime: 't1' }), 300_000);
  expect(known.expire(1_199_999)).toEqual([]);
  expect(known.expire(1_200_000)).toEqual(['acme']);
  expect(known.expire(1_200_001)).toEqual([]);
  expect(known.observe(aUse({ renewTime: 't2' }), 1_300_000)).toBe('values');
  expect(known.observe(aUse({ renewTime: 't3' }), 1_600_000)).toBe('confirmation');
});

test('KnownReports knows which vectors are in use, and by whom', () => {
  const known = new KnownReports();
  for (const instance of ['a', 'b']) known.observe(aUse({ instance }), 0);
  known.observe(aUse({ vector: 'v-2' }), 0);
  expect([...known.vectors('acme', 'agent')].sort()).toEqual(['v-1', 'v-2']);
  known.forget(aUse({ instance: 'b' }));
  expect([...known.vectors('acme', 'agent')]).toEqual(['v-2']);
  expect([known.processes('acme'), known.newestEpoch('acme'), known.components('acme')]).toEqual([1, 3, ['agent']]);
  known.forget(aUse({ vector: 'v-2' }));
  expect([known.processes('acme'), known.newestEpoch('acme'), known.components('acme')]).toEqual([0, 0, []]);
});

test('KnownReports keeps no name of a component or namespace whose reports are gone', () => {
  const known = new KnownReports();
  const use = aUse({ component: 'once' });
  known.observe(use, 0);
  known.forget(use);
  expect(known.namespaces()).toEqual([]);
});
