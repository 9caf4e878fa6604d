import { aPod, aServer } from '@slipway/devcluster/testing/a-server';
import { expect, test } from 'vitest';
import { builtInAdmission } from './built-in-admission.js';

const classes = '/apis/networking.k8s.io/v1/ingressclasses';
const ingresses = '/apis/networking.k8s.io/v1/namespaces/default/ingresses';
const pods = '/api/v1/namespaces/default/pods';
const serviceAccount = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } };

async function setUp() {
  const server = await aServer(undefined, builtInAdmission());
  await server.ask('POST', '/api/v1/namespaces/default/serviceaccounts', serviceAccount);
  return server;
}

test('an ingress that names no class gets the default one, the newest of several', async () => {
  const { ask, clock } = await setUp();
  const ingress = (name: string, more: object = {}) => ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name, ...more },
    spec: { defaultBackend: { service: { name: 'web', port: { number: 80 } } } },
  });
  const classOf = async (name: string, more?: object) =>
    (await ask('POST', ingresses, ingress(name, more))).body.spec.ingressClassName;
  expect(await classOf('before')).toBeUndefined();
  for (const name of ['old', 'new']) {
    const annotations = { 'ingressclass.kubernetes.io/is-default-class': 'true' };
    const spec = { controller: 'example.com/ingress' };
    await ask('POST', classes, {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'IngressClass',
      metadata: { name, annotations },
      spec,
    });
    await clock.advance(1_000);
  }
  expect(await classOf('after')).toBe('new');
  expect(await classOf('former', { annotations: { 'kubernetes.io/ingress.class': 'x' } })).toBeUndefined();
});

test('a runtime class gives its pods what they cost and where they run', async () => {
  const { ask } = await setUp();
  const runtimeClass = {
    apiVersion: 'node.k8s.io/v1',
    kind: 'RuntimeClass',
    metadata: { name: 'kata' },
    handler: 'kata',
    overhead: { podFixed: { cpu: '100m' } },
    scheduling: { nodeSelector: { runtime: 'kata' }, tolerations: [{ key: 'kata', operator: 'Exists' }] },
  };
  await ask('POST', '/apis/node.k8s.io/v1/runtimeclasses', runtimeClass);
  const create = (name: string, spec: object) => {
    const pod = aPod(name);
    return ask('POST', pods, { ...pod, spec: { ...pod.spec, ...spec } });
  };
  const { body } = await create('a', { runtimeClassName: 'kata' });
  expect(body.spec).toMatchObject({ overhead: { cpu: '100m' }, nodeSelector: { runtime: 'kata' } });
  expect(body.spec.tolerations).toContainEqual({ key: 'kata', operator: 'Exists' });

  // spec | why it is refused
  const refused: [object, string][] = [
    [{ runtimeClassName: 'other' }, 'pod rejected: RuntimeClass "other" not found'],
    [{ overhead: { cpu: '1' } }, 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead'],
    [
      { runtimeClassName: 'kata', nodeSelector: { runtime: 'runc' } },
      'conflict: runtimeClass.scheduling.nodeSelector[runtime] = kata; pod.spec.nodeSelector[runtime] = runc',
    ],
  ];
  for (const [spec, why] of refused) {
    expect(await create('b', spec)).toMatchObject({
      status: 403,
      body: { reason: 'Forbidden', message: `pods "b" is forbidden: ${why}` },
    });
  }
});

test('components are as well as their leases say; a pod can be bound through the collection of bindings', async () => {
  const { ask, clock } = await setUp();
  const lease = (holderIdentity: string, renewTime: string) => ({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'kube-scheduler' },
    spec: { holderIdentity, renewTime, leaseDurationSeconds: 15 },
  });
  await ask('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-system' } });
  const renewTime = new Date(clock.now()).toISOString().replace('Z', '000Z');
  await ask('POST', '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases', lease('me', renewTime));
  const { body, warnings } = await ask('GET', '/api/v1/componentstatuses');
  const found = body.items.map((each: { metadata: { name: string }; conditions: { status: string }[] }) => [
    each.metadata.name,
    each.conditions[0]?.status,
  ]);
  expect(found).toEqual([
    ['controller-manager', 'False'],
    ['etcd-0', 'True'],
    ['scheduler', 'True'],
  ]);
  expect(warnings).toEqual(['v1 ComponentStatus is deprecated in v1.19+']);

  await ask('POST', pods, aPod('a'));
  const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'a' }, target: { kind: 'Node', name: 'n1' } };
  expect((await ask('POST', '/api/v1/namespaces/default/bindings', binding)).status).toBe(201);
  expect((await ask('GET', `${pods}/a`)).body.spec.nodeName).toBe('n1');
});

test('one autoscaler in both versions', async () => {
  const { ask } = await setUp();
  const autoscaler = {
    apiVersion: 'autoscaling/v1',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'web' },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      maxReplicas: 3,
      targetCPUUtilizationPercentage: 60,
    },
  };
  const path = (version: string) => `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers`;
  expect((await ask('POST', path('v1'), autoscaler)).status).toBe(201);
  expect((await ask('GET', `${path('v2')}/web`)).body.spec.metrics).toMatchObject([
    { type: 'Resource', resource: { name: 'cpu', target: { averageUtilization: 60 } } },
  ]);
  const merge = { 'content-type': 'application/merge-patch+json' };
  const { body } = await ask('PATCH', `${path('v1')}/web`, { spec: { maxReplicas: 4 } }, merge);
  expect(body).toMatchObject({
    apiVersion: 'autoscaling/v1',
    spec: { maxReplicas: 4, targetCPUUtilizationPercentage: 60 },
  });
});
