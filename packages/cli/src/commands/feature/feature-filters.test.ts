import { type Feature, type FeatureStatus, FeatureUse, FeatureVector } from '@slipway/features';
import { Kube } from '@slipway/kube';
import { inMemoryApi } from '@slipway/kube/testing';
import { expect, test } from 'vitest';
import { type FeatureFilters, filtered } from './feature-filters.js';

const apiVersion = 'features.slipway.dev/v1alpha1';
const lastTransitionTime = '2026-01-01T00:00:00Z';
const uses = (reason: string) => [
  { type: 'UsesConsistent', status: 'False' as const, reason, message: '', lastTransitionTime },
];

function aFeature(gate: string, status: FeatureStatus, stage = 'Beta'): Feature {
  const effective = { stage, default: false, locked: false };
  const metadata = { name: gate.toLowerCase(), namespace: 'kube-system' };
  return { apiVersion, kind: 'Feature', metadata, spec: { gate }, status: { effective, ...status } };
}

const dangling = (count: number) => ({ count, complete: true, scannedAt: lastTransitionTime, samples: [] });
const features = [
  aFeature('On', { state: 'On', dangling: dangling(3) }),
  aFeature('Off', { state: 'Off' }, 'Alpha'),
  aFeature('Left', { state: 'Off', dangling: dangling(2) }),
  aFeature('Going', { state: 'TurningOff', dangling: dangling(1) }),
  aFeature('Drifting', { state: 'On', conditions: uses('Drift') }),
  aFeature('Waived', { state: 'Off', conditions: uses('Waived') }),
  aFeature('Waiting', { state: 'TurningOn', conditions: uses('InTransition') }),
];

test.each<[FeatureFilters, string]>([
  [{}, 'On Off Left Going Drifting Waived Waiting'],
  [{ on: true }, 'On Drifting'],
  [{ off: true }, 'Off Left Waived'],
  [{ changing: true }, 'Going Waiting'],
  [{ dangling: true }, 'Left Going'],
  [{ drift: true }, 'Drifting Waived'],
  [{ drift: true, off: true }, 'Waived'],
  [{ stage: 'alpha' }, 'Off'],
  [{ set: true }, 'Left'],
  [{ set: true, on: true }, ''],
])('filtered() by %j gives %s', async (filters, expected) => {
  const api = inMemoryApi();
  const vector = { apiVersion, kind: 'FeatureVector', metadata: { name: 'v-1', namespace: 'kube-system' } };
  const gates = [
    { name: 'Left', enabled: true, stage: 'Beta', set: true },
    { name: 'On', enabled: true, stage: 'Beta' },
  ];
  api.seed(FeatureVector, { ...vector, spec: { component: 'kubelet', binaryVersion: '1.34', gates } });
  const use = { apiVersion, kind: 'FeatureUse', metadata: { name: 'kubelet.n1', namespace: 'kube-system' } };
  api.seed(FeatureUse, {
    ...use,
    spec: { component: 'kubelet', instance: 'n1', vector: 'v-1', binaryVersion: '1.34' },
  });
  const fitting = await filtered(new Kube(api), features, filters, new AbortController().signal);
  expect(fitting.map(({ spec }) => spec.gate).join(' ')).toBe(expected);
});
