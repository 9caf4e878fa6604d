import { expect, test } from 'vitest';
import type { Feature, FeatureStatus } from '../api/feature.js';
import { counts } from '../testing/a-situation.js';
import { featureMetrics } from './feature-metrics.js';

const condition = (type: string, status: 'True' | 'False', reason: string) => ({
  type,
  status,
  reason,
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
});
const aFeature = (gate: string, status: FeatureStatus, spec: Partial<Feature['spec']> = {}): Feature => ({
  apiVersion: 'features.slipway.dev/v1alpha1',
  kind: 'Feature',
  metadata: { name: gate.toLowerCase(), namespace: 'kube-system' },
  spec: { gate, ...spec },
  status,
});
const declared = condition('Known', 'True', 'Declared');
const scan = { count: 3, waived: 1, complete: true, scannedAt: '2026-01-01T00:00:00Z', samples: [] };

const features = [
  aFeature('Widgets', {
    state: 'TurningOff',
    uses: { epoch: 1, ...counts('1/2/0 0/0/4/1 0/0/0') },
    dangling: scan,
    conditions: [declared, condition('Blocked', 'True', 'NeedsApproval')],
  }),
  aFeature('Reported', { state: 'On', conditions: [condition('Known', 'True', 'ReportedOnly')] }),
];
const page = featureMetrics(features, 2);
const widgets = 'namespace="kube-system",feature="Widgets"';

test.each([
  `slipway_feature_state{${widgets},state="TurningOff"} 1`,
  `slipway_feature_state{${widgets},state="On"} 0`,
  `slipway_feature_uses{${widgets},component="server",value="off"} 2`,
  `slipway_feature_uses{${widgets},component="agent",value="silent"} 4`,
  `slipway_feature_uses{${widgets},component="agent",value="waived"} 1`,
  `slipway_feature_dangling_references{${widgets}} 2`,
  `slipway_feature_blocked{${widgets},reason="NeedsApproval"} 1`,
  'slipway_feature_state{namespace="kube-system",feature="Reported",state="On"} 1',
  'slipway_feature_servers 2',
])('the page says %s', (line) => {
  expect(page.split('\n')).toContain(line);
});

test('of a feature that is only reported its state is told and nothing else', () => {
  expect(page.split('\n').filter((line) => line.includes('"Reported"'))).toHaveLength(1);
});

test('a Feature whose newest spec no server has taken up is named', () => {
  const unseen = features.map((feature) => ({ ...feature, metadata: { ...feature.metadata, generation: 2 } }));
  expect(featureMetrics(unseen, 0)).toContain(`slipway_feature_unseen{${widgets}} 1\n`);
  expect(page).not.toContain('slipway_feature_unseen{');
});

test('a namespace of tenants has series of as many Features as the limit says, and the page names who has more', () => {
  const of = (namespace: string, count: number) =>
    Array.from({ length: count }, (_none, index): Feature => {
      const gate = `G${String(index).padStart(4, '0')}`;
      const feature = aFeature(gate, { state: 'On', conditions: [declared] });
      return { ...feature, metadata: { ...feature.metadata, namespace } };
    });
  const overLimit = { FeatureUse: new Map([['greedy', 7]]), FeatureVector: new Map() };
  const all = [...of('greedy', 600).reverse(), ...of('modest', 2), ...of('kube-system', 600)];
  const lines = featureMetrics(all, 1, overLimit).split('\n');
  const named = (namespace: string) =>
    lines.filter((line) => line.includes(`namespace="${namespace}"`) && line.includes('state="On"'));
  expect(['greedy', 'modest', 'kube-system'].map((namespace) => named(namespace).length)).toEqual([500, 2, 600]);
  expect(named('greedy').join()).toContain('"G0000"');
  expect(lines).toContain('slipway_feature_over_limit{namespace="greedy",kind="Feature"} 100');
  expect(lines).toContain('slipway_feature_over_limit{namespace="greedy",kind="FeatureUse"} 7');
  expect(lines.join()).not.toContain('over_limit{namespace="kube-system"');
});
