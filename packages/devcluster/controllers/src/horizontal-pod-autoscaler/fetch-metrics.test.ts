import { Kube, type KubeResponse } from '@slipway/kube';
import { ManualClock } from '@slipway/kube/testing';
import type { MetricFields } from '@slipway/kube-objects/kinds/autoscaler';
import { expect, test } from 'vitest';
import { fetchMetrics } from './fetch-metrics.js';

const selector = { matchLabels: { of: 'a' } };
const queue: MetricFields = { type: 'External', external: { metric: { name: 'queue', selector } } };
const hits: MetricFields = { type: 'Pods', pods: { metric: { name: 'hits' } } };
const onObject = (apiVersion: string, kind: string): MetricFields => ({
  type: 'Object',
  object: { describedObject: { apiVersion, kind, name: 'shop' }, metric: { name: 'hits', selector } },
});

const ingresses = { resource: 'ingresses', responseKind: { kind: 'Ingress' }, scope: 'Namespaced', verbs: ['get'] };
const served: Readonly<Record<string, object>> = {
  '/api': { kind: 'APIGroupDiscoveryList', items: [] },
  '/apis': {
    kind: 'APIGroupDiscoveryList',
    items: [{ metadata: { name: 'networking.k8s.io' }, versions: [{ version: 'v1', resources: [ingresses] }] }],
  },
  '/apis/custom.metrics.k8s.io': { preferredVersion: { version: 'v1beta2' } },
  '/apis/external.metrics.k8s.io': { preferredVersion: { version: 'v1beta1' } },
};

/** Fetches one metric from servers that answer `answer` where they are asked for metrics. */
async function fetchOne(metric: MetricFields, answer: KubeResponse, groups = served) {
  const asked: string[] = [];
  const request = async ({ path }: { path: string }): Promise<KubeResponse> => {
    const group = groups[path];
    if (group) return { status: 200, headers: {}, body: group };
    if (path.split('/').length < 5) return { status: 404, headers: {}, body: 'none' };
    asked.push(path);
    return answer;
  };
  const kube = new Kube({ request, async *stream() {} }, { clock: new ManualClock() });
  const scope = { namespace: 'default', selector: 'app=web', signal: new AbortController().signal };
  return { asked, found: (await fetchMetrics(kube, [metric], scope)).get(metric) };
}

const empty: KubeResponse = { status: 200, headers: {}, body: { items: [] } };

// what a metric is about | where an adapter is asked for it
const paths: [string, MetricFields, string][] = [
  ['nothing in the cluster', queue, 'external.metrics.k8s.io/v1beta1/namespaces/default/queue?labelSelector=of%3Da'],
  ['pods', hits, 'custom.metrics.k8s.io/v1beta2/namespaces/default/pods/*/hits?labelSelector=app%3Dweb'],
  [
    'an object',
    onObject('networking.k8s.io/v1', 'Ingress'),
    'custom.metrics.k8s.io/v1beta2/namespaces/default/ingresses.networking.k8s.io/shop/hits?metricLabelSelector=of%3Da',
  ],
  [
    'its namespace',
    onObject('v1', 'Namespace'),
    'custom.metrics.k8s.io/v1beta2/namespaces/default/metrics/hits?metricLabelSelector=of%3Da',
  ],
];
test.each(paths)('fetchMetrics() asks for a metric about %s', async (_, metric, path) => {
  expect((await fetchOne(metric, empty)).asked).toEqual([`/apis/${path}`]);
});

test('fetchMetrics() reads amounts with the names of what they are about', async () => {
  const items = [{ describedObject: { name: 'web-1' }, value: '1500m' }, { value: '2k' }];
  const { found } = await fetchOne(hits, { ...empty, body: { items } });
  expect(found).toEqual({
    values: [
      { of: 'web-1', milli: 1500 },
      { of: '', milli: 2_000_000 },
    ],
  });
});

const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'it is closed', code: 500 };
const printed = '&LabelSelector{MatchLabels:map[string]string{of: a,},MatchExpressions:[]LabelSelectorRequirement{},}';
// answer | groups that are served | what is said of the metric
const problems: [KubeResponse, typeof served, string][] = [
  [empty, served, 'no metrics returned from external metrics API'],
  [
    empty,
    {},
    `unable to fetch metrics from external metrics API: no external metrics API (external.metrics.k8s.io) registered`,
  ],
  [{ ...empty, status: 500, body: status }, served, 'unable to fetch metrics from external metrics API: it is closed'],
  [
    { ...empty, status: 503, body: 'service unavailable\n' },
    served,
    'unable to fetch metrics from external metrics API: service unavailable',
  ],
];
test.each(problems)('fetchMetrics() says what came of it: %j', async (answer, groups, said) => {
  const { found } = await fetchOne(queue, answer, groups);
  expect(found).toEqual({ problem: `unable to get external metric default/queue/${printed}: ${said}` });
});

test('fetchMetrics() says that a kind is not served', async () => {
  const { found } = await fetchOne(onObject('v1', 'Shop'), empty);
  const why = 'unable to fetch metrics from custom metrics API: no matches for kind "Shop"';
  expect(found).toEqual({ problem: `unable to get metric hits on Shop default/shop: ${why}` });
});
