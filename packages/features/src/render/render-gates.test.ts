import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { kubernetesGates } from '../releases/gate-catalogue.js';
import { gatesOfFeatures } from './gates-of-features.js';
import { renderGates, renderTargets } from './render-gates.js';
import { settleGates } from './settle-gates.js';

/** Gates of every kind: of several components, of one, with dependencies, locked, gone and made up. */
const wishes = new Map([
  ['MaxUnavailableStatefulSet', true],
  ['DynamicResourceAllocation', false],
  ['ImageVolume', true],
  ['PreferSameTrafficDistribution', false],
  ['NodeSwap', true],
  ['FastPath', true],
]);

const goldenOf = (target: string) => new URL(`./testdata/${target}.output.yaml`, import.meta.url);

test.each(renderTargets)('renderGates() for %s is as in testdata', (target) => {
  const text = renderGates(settleGates(wishes, '1.34', kubernetesGates), target, '1.34');
  if (process.env.UPDATE_GOLDEN) writeFileSync(goldenOf(target), text);
  expect(text).toBe(readFileSync(goldenOf(target), 'utf8'));
});

test('renderGates() of nothing is a comment', () => {
  const nothing = settleGates(new Map([['FastPath', true]]), '1.34', kubernetesGates);
  for (const target of renderTargets) {
    const lines = renderGates(nothing, target, '1.34').trimEnd().split('\n');
    expect(lines.filter((line) => !line.startsWith('# '))).toEqual([]);
  }
});

test('gatesOfFeatures() takes what flags have to set, and leaves what the API sets', () => {
  const feature = (spec: object, status: object = {}) => ({
    apiVersion: 'features.slipway.dev/v1alpha1',
    kind: 'Feature',
    metadata: { name: 'x' },
    spec: { gate: 'X', ...spec },
    status,
  });
  const on = { configured: { value: true, source: 'Authority' } };
  const asked = (spec: object) => Object.fromEntries(gatesOfFeatures([feature(spec, on)]));
  expect(asked({ desired: 'Off', mode: 'Follow' })).toEqual({ X: false });
  expect(asked({ desired: 'Unmanaged', mode: 'Follow' })).toEqual({});
  expect(asked({ desired: 'Unmanaged', mode: 'Central' })).toEqual({ X: true });
  expect(asked({ desired: 'On', mode: 'Dynamic' })).toEqual({});
});
