import { request } from 'node:https';
import type { ResourceRef } from '@slipway/kube';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Cluster } from './cluster.js';
import { startCluster } from './start-cluster.js';

const resource = (group: string, kind: string, plural: string, namespaced: boolean): ResourceRef => ({
  group,
  version: 'v1',
  kind,
  plural,
  namespaced,
});
const Node = resource('', 'Node', 'nodes', false);
const rbac = 'rbac.authorization.k8s.io';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({
    nodes: 1,
    version: '1.35',
    componentPages: true,
    componentGates: { kubelet: { ImageVolume: true } },
    tokens: {
      reader: { name: 'reader', groups: ['system:authenticated'] },
      nobody: { name: 'nobody', groups: ['system:authenticated'] },
    },
  });
  await cluster.ready();
  const kube = cluster.kube();
  const rules = [
    { apiGroups: [''], resources: ['nodes/metrics', 'nodes/configz', 'nodes/healthz'], verbs: ['get'] },
    { nonResourceURLs: ['/metrics'], verbs: ['get'] },
  ];
  const metadata = { name: 'page-reader' };
  const roleRef = { apiGroup: rbac, kind: 'ClusterRole', name: 'page-reader' };
  const subjects = [{ kind: 'User', apiGroup: rbac, name: 'reader' }];
  const of = (kind: string, plural: string) => kube.resource(resource(rbac, kind, plural, false));
  await of('ClusterRole', 'clusterroles').create({ apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata, rules });
  await of('ClusterRoleBinding', 'clusterrolebindings').create({
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRoleBinding',
    metadata,
    roleRef,
    subjects,
  });
});
afterAll(() => cluster.stop());

const urlOf = (component: string) => cluster.componentPages.find((page) => page.component === component)?.url ?? '';

function ask(url: string, token?: string): Promise<{ readonly status: number; readonly text: string }> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    const asked = request(url, { headers, rejectUnauthorized: false, agent: false }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
    });
    asked.on('error', reject).end();
  });
}

test('a Node says where its kubelet serves its pages', async () => {
  const { status } = await cluster.kube().resource(Node).get({ name: 'n1' });
  expect(urlOf('kubelet')).toBe(`https://127.0.0.1:${status.daemonEndpoints.kubeletEndpoint.Port}`);
});

test('a kubelet shows what it runs as Kubernetes shows it, and how it was configured', async () => {
  const { text } = await ask(`${urlOf('kubelet')}/metrics`, 'reader');
  expect(text).toMatch(/^kubernetes_build_info\{git_version="v1\.35\.0",/m);
  expect(text).toContain('kubernetes_feature_enabled{name="ImageVolume",stage="BETA"} 1\n');
  expect(text).toMatch(/^process_start_time_seconds \d+/m);
  const configz = await ask(`${urlOf('kubelet')}/configz`, 'reader');
  expect(JSON.parse(configz.text)).toEqual({ kubeletconfig: { featureGates: { ImageVolume: true } } });
});

// component | path | who asks | status of the answer
const cases: [string, string, string | undefined, number][] = [
  ['kubelet', '/metrics', undefined, 401],
  ['kubelet', '/metrics', 'unknown', 401],
  ['kubelet', '/metrics', 'nobody', 403],
  ['kubelet', '/healthz', undefined, 401],
  ['kubelet', '/healthz', 'reader', 200],
  ['kubelet', '/elsewhere', 'reader', 403],
  ['kube-scheduler', '/healthz', undefined, 200],
  ['kube-scheduler', '/metrics', 'nobody', 403],
  ['kube-scheduler', '/metrics', 'reader', 200],
  ['kube-controller-manager', '/metrics', 'reader', 200],
  ['kube-controller-manager', '/configz', 'reader', 403],
];

test.each(cases)('%s%s for %s: %i', async (component, path, token, status) => {
  expect((await ask(urlOf(component) + path, token)).status).toBe(status);
});

test('pages are where they were after a restart, and are of another process', async () => {
  const url = urlOf('kubelet');
  const startOf = async () =>
    /^process_start_time_seconds (.*)$/m.exec((await ask(`${url}/metrics`, 'reader')).text)?.[1];
  const before = await startOf();
  await cluster.components.find(({ name }) => name === 'kubelet')?.restart({ pin: 'ImageVolume=false' });
  expect(urlOf('kubelet')).toBe(url);
  expect(await startOf()).not.toBe(before);
});

test('each API server is found behind the service kubernetes', async () => {
  const slices = resource('discovery.k8s.io', 'EndpointSlice', 'endpointslices', true);
  const slice = await cluster.kube().resource(slices).get({ namespace: 'default', name: 'kubernetes' });
  expect(slice.endpoints[0].addresses).toEqual(['127.0.0.1']);
  expect(`https://127.0.0.1:${slice.ports[0].port}`).toBe(cluster.url);
});
