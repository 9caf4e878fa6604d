import { type KubeObject, silentLog } from '@slipway/kube';
import { expect, test, vi } from 'vitest';
import { exportedObject, inApplyOrder } from './exported-object.js';
import { startCluster } from './start-cluster.js';

// Clusters start and stop in here, beside all other tests of the machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const metadata = {
  name: 'x',
  namespace: 'default',
  uid: 'u',
  resourceVersion: '7',
  generation: 2,
  creationTimestamp: '2026-01-01T00:00:00Z',
  managedFields: [],
};
const anObject = (kind: string, more: Partial<KubeObject> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata,
  ...more,
});

test.each<[string, KubeObject, object]>([
  ['bookkeeping', anObject('ConfigMap', { data: { a: 'b' } }), { data: { a: 'b' } }],
  ['a status', anObject('Deployment', { spec: { replicas: 1 }, status: { replicas: 1 } }), { spec: { replicas: 1 } }],
  ['the node of a pod', anObject('Pod', { spec: { nodeName: 'n1', containers: [] } }), { spec: { containers: [] } }],
  ['the address of a service', anObject('Service', { spec: { clusterIP: '10.0.0.1', clusterIPs: [] } }), { spec: {} }],
  ['nothing of a headless one', anObject('Service', { spec: { clusterIP: 'None' } }), { spec: { clusterIP: 'None' } }],
  [
    'what was made from the UID of a job',
    anObject('Job', {
      spec: {
        selector: { matchLabels: { 'controller-uid': 'u' } },
        template: { metadata: { labels: { app: 'a', 'batch.kubernetes.io/controller-uid': 'u', 'job-name': 'x' } } },
      },
    }),
    { spec: { template: { metadata: { labels: { app: 'a' } } } } },
  ],
])('exportedObject() leaves out %s', (_what, object, rest) => {
  const { apiVersion, kind } = object;
  expect(exportedObject(object)).toEqual({ apiVersion, kind, metadata: { name: 'x', namespace: 'default' }, ...rest });
});

const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'r', uid: 'u', controller: true };
test.each<[string, KubeObject]>([
  ['what a controller made', anObject('Pod', { metadata: { ...metadata, ownerReferences: [owner] } })],
  ['an event', anObject('Event')],
  ['the first namespaces', anObject('Namespace', { metadata: { name: 'kube-system' } })],
  ['the certificate in each namespace', anObject('ConfigMap', { metadata: { name: 'kube-root-ca.crt' } })],
])('exportedObject() is undefined for %s', (_what, object) => {
  expect(exportedObject(object)).toBeUndefined();
});

const by = (...managers: string[]) => ({
  metadata: { ...metadata, managedFields: managers.map((manager) => ({ manager, operation: 'Update' as const })) },
});

test('exportedObject() leaves out what only the cluster and its installers wrote', () => {
  expect(exportedObject(anObject('FlowSchema', by('kube-apiserver')))).toBeUndefined();
  expect(exportedObject(anObject('FlowSchema', by('kube-apiserver', 'kubectl-edit')))).toBeDefined();
  expect(exportedObject(anObject('ConfigMap', by('my-installer')))).toBeDefined();
  expect(exportedObject(anObject('ConfigMap', by('my-installer')), ['my-installer'])).toBeUndefined();
});

test('exportedObject() keeps annotations but for what kubectl notes for itself', () => {
  const annotations = { mine: '1', 'kubectl.kubernetes.io/last-applied-configuration': '{}' };
  const exported = exportedObject(anObject('ConfigMap', { metadata: { ...metadata, annotations } }));
  expect(exported?.metadata.annotations).toEqual({ mine: '1' });
});

test('inApplyOrder() puts definitions and namespaces before what needs them', () => {
  const named = (kind: string, name: string, namespace?: string): KubeObject =>
    anObject(kind, { metadata: { name, ...(namespace !== undefined && { namespace }) } });
  const all = [
    named('Website', 'w', 'a'),
    named('ClusterRole', 'r'),
    named('ConfigMap', 'c', 'a'),
    named('Namespace', 'a'),
    named('CustomResourceDefinition', 'd'),
  ];
  expect(inApplyOrder(all).map(({ kind }) => kind)).toEqual([
    'CustomResourceDefinition',
    'Namespace',
    'ClusterRole',
    'ConfigMap',
    'Website',
  ]);
});

test('what one cluster exports another one takes', async () => {
  const manifests: [string, KubeObject][] = [
    ['/api/v1/namespaces', anObject('Namespace', { metadata: { name: 'team' } })],
    [
      '/api/v1/namespaces/team/services',
      anObject('Service', { metadata: { name: 'web', namespace: 'team' }, spec: { ports: [{ port: 80 }] } }),
    ],
    [
      '/apis/batch/v1/namespaces/team/jobs',
      {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { name: 'once', namespace: 'team' },
        spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'm', image: 'i' }] } } },
      },
    ],
  ];
  const create = async (objects: readonly [string, KubeObject][]): Promise<KubeObject[]> => {
    const cluster = await startCluster({ nodes: 0, log: silentLog });
    const made: KubeObject[] = [];
    for (const [path, body] of objects) {
      const response = await cluster.transport().request({ method: 'POST', path, body });
      expect(response.status, JSON.stringify(response.body)).toBe(201);
      made.push(response.body as KubeObject);
    }
    await cluster.stop();
    return made;
  };
  const made = await create(manifests);
  const exported = made.map((object) => exportedObject(object));
  const again = exported.map((object, at) => [manifests[at]?.[0] ?? '', object as KubeObject] as [string, KubeObject]);
  expect((await create(again)).map((object) => exportedObject(object))).toEqual(exported);
});
