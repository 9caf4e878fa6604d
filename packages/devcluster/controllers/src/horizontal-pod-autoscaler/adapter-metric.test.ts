import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import type { MetricFields } from '@slipway/kube-objects/kinds/autoscaler';
import { expect, test } from 'vitest';
import { adapterMetric } from './adapter-metric.js';

const pod = (name: string, isReady = true): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [] },
  status: { phase: 'Running', conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }] },
});
const target = {
  current: 3,
  statusReplicas: 3,
  pods: [pod('a'), pod('b'), pod('c', false)],
  tolerance: { up: 0.1, down: 0.1 },
  nowMs: 0,
};
const external = (amounts: object): MetricFields => ({
  type: 'External',
  external: { metric: { name: 'queue', selector: { matchLabels: { of: 'a' } } }, target: amounts },
});
const described = { apiVersion: 'v1', kind: 'Service', name: 'shop' };
const object = (amounts: object): MetricFields => ({
  type: 'Object',
  object: { describedObject: described, metric: { name: 'hits' }, target: amounts },
});
const pods: MetricFields = { type: 'Pods', pods: { metric: { name: 'hits' }, target: { averageValue: '10' } } };

// metric | amounts in thousandths | pods that it calls for | what it is now
const cases: [string, MetricFields, number[], number, object][] = [
  ['an average', external({ averageValue: '10' }), [30_000, 20_000], 5, { averageValue: '16667m' }],
  ['an average that is close', external({ averageValue: '10' }), [31_000], 3, { averageValue: '10334m' }],
  ['nothing', external({ averageValue: '10' }), [0], 0, { averageValue: '0' }],
  ['a value, which ready pods share', external({ value: '10' }), [20_000], 4, { value: '20' }],
  ['a value that is close', object({ value: '10' }), [10_500], 3, { value: '10500m' }],
  ['an average of an object', object({ averageValue: '5' }), [31_000], 7, { averageValue: '10334m' }],
  ['an average of pods', pods, [20_000, 20_000, 20_000], 6, { averageValue: '20' }],
];
test.each(cases)('adapterMetric() calls for pods by %s', (_, metric, amounts, replicas, current) => {
  const values = amounts.map((milli, index) => ({ of: 'abc'[index] ?? '', milli }));
  const answer = adapterMetric(metric, { values }, target);
  expect(answer.replicas).toBe(replicas);
  expect(answer.status).toMatchObject({ type: metric.type, [(metric.type ?? '').toLowerCase()]: { current } });
});

test('adapterMetric() names a metric as Kubernetes does', () => {
  const nameOf = (metric: MetricFields) => adapterMetric(metric, { values: [{ of: 'a', milli: 1 }] }, target).name;
  const selector =
    '&LabelSelector{MatchLabels:map[string]string{of: a,},MatchExpressions:[]LabelSelectorRequirement{},}';
  expect(nameOf(external({ averageValue: '1' }))).toBe(`external metric queue(${selector})`);
  expect(nameOf(object({ averageValue: '1' }))).toBe('external metric hits(nil)');
  expect(nameOf(object({ value: '1' }))).toBe('Service metric hits');
  expect(nameOf(pods)).toBe('pods metric hits');
});

test('adapterMetric() says why it calls for nothing', () => {
  expect(() => adapterMetric(pods, { problem: 'no adapter' }, target)).toThrow('no adapter');
  expect(() => adapterMetric(object({}), { values: [] }, target)).toThrow(
    'invalid object metric source: neither a value target nor an average value target was set',
  );
});
