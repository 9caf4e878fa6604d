import type { Transport } from '@slipway/kube';
import { expect, test } from 'vitest';
import type { Feature } from '../api/feature.js';
import type { FeatureDefinitionSpec } from '../api/feature-definition.js';
import { CustomKinds } from '../references/read-custom-kinds.js';
import { aCluster } from '../testing/a-cluster.js';
import { scanFeature } from './scan-feature.js';

const definition: FeatureDefinitionSpec = {
  gate: 'Fast',
  scope: 'Cluster',
  components: [],
  references: [{ group: 'apps', resource: 'statefulsets', path: 'spec.template.spec.hostUsers', embedded: true }],
};
const feature: Feature = {
  apiVersion: 'features.slipway.dev/v1alpha1',
  kind: 'Feature',
  metadata: { namespace: 'kube-system', name: 'fast' },
  spec: { gate: 'Fast' },
  status: { state: 'Off' },
};
const names = ['volumes', 'containers', 'securityContext', 'affinity', 'initContainers', 'tolerations', 'dnsConfig'];
const more = ['hostAliases', 'readinessGates', 'topologySpreadConstraints', 'hostUsers'];
const podSpec = { properties: Object.fromEntries([...names, ...more].map((name) => [name, {}])) };
const rollout = {
  properties: { spec: { properties: { template: { properties: { spec: podSpec } } } } },
  'x-kubernetes-group-version-kind': [{ group: 'argoproj.io', version: 'v1alpha1', kind: 'Rollout' }],
};
const document = { components: { schemas: { 'io.argoproj.v1alpha1.Rollout': rollout } } };

/** A cluster that serves rollouts and answers `/openapi/v3` as given; counts the documents that are read. */
function served(answers: Readonly<Record<string, { readonly status: number; readonly body: unknown }>>) {
  const read: string[] = [];
  const kube = aCluster().kube.through(
    (below): Transport => ({
      stream: (request, signal) => below.stream(request, signal),
      async request(request) {
        const { path } = request;
        const answer = answers[path];
        if (path.startsWith('/openapi/')) read.push(path);
        if (answer) return { headers: {}, ...answer };
        const response = await below.request(request);
        if (path !== '/apis') return response;
        const body = response.body as { readonly items: readonly object[] };
        const resource = {
          resource: 'rollouts',
          responseKind: { kind: 'Rollout' },
          scope: 'Namespaced',
          verbs: ['list'],
        };
        const group = { metadata: { name: 'argoproj.io' }, versions: [{ version: 'v1alpha1', resources: [resource] }] };
        return { ...response, body: { ...body, items: [...body.items, group] } };
      },
    }),
  );
  return { kube, read };
}

const url = '/openapi/v3/apis/argoproj.io/v1alpha1?hash=AB';
const index = {
  paths: {
    'apis/apps/v1': { serverRelativeURL: '/openapi/v3/apis/apps/v1?hash=CD' },
    'apis/argoproj.io/v1alpha1': { serverRelativeURL: url },
  },
};
const ok = (body: unknown) => ({ status: 200, body });

test('scanFeature() names custom kinds that embed the type and that no reference names, and reads their schema once', async () => {
  const { kube, read } = served({ '/openapi/v3': ok(index), [url]: ok(document) });
  const how = { customKinds: new CustomKinds(), signal: new AbortController().signal };
  const found = await scanFeature(kube, feature, definition, how);
  expect(found).toMatchObject({ count: 0, complete: true });
  expect(found.uncovered).toBe(
    'not covered: rollouts.argoproj.io (spec.template.spec.hostUsers); add a reference for each to the definition',
  );
  const named = { group: 'argoproj.io', resource: 'rollouts', path: 'spec.template.spec.hostUsers' };
  const references = [...(definition.references ?? []), named];
  expect((await scanFeature(kube, feature, { ...definition, references }, how)).uncovered).toBeUndefined();
  expect(read).toEqual(['/openapi/v3', url, '/openapi/v3']);
});

test.each([
  ['has no such documents', 404, undefined],
  ['fails', 503, 'which custom kinds embed the types is not known: GET /openapi/v3 answered with HTTP status 503'],
])('scanFeature() of a server whose OpenAPI v3 %s', async (_, status, uncovered) => {
  const { kube } = served({ '/openapi/v3': { status, body: 'no' } });
  const how = { customKinds: new CustomKinds(), signal: new AbortController().signal };
  expect((await scanFeature(kube, feature, definition, how)).uncovered).toBe(uncovered);
});
