import { declaredRoles } from '@slipway/api-server/auth/bootstrap/declared-roles';
import { controllerManager } from '@slipway/controllers/controller-manager';
import { type Kube, type KubeObject, type Logger, silentLog } from '@slipway/kube';
import { expect, test, vi } from 'vitest';
import { componentGate } from './component/component-gates.js';
import { aCluster } from './testing/a-cluster.js';
import { aStartedCluster } from './testing/started-cluster.js';

test('every controller has a role of its own name', async () => {
  await using cluster = await aCluster({ nodes: 0 });
  const named = new Set<string>();
  const kubeFor = (controller: string): Kube => {
    named.add(controller);
    return cluster.kube;
  };
  const gate = componentGate('kube-controller-manager', '1.34');
  controllerManager({ kube: cluster.kube, kubeFor, log: silentLog, gate, caCertificate: '' });
  const roles = new Set(declaredRoles(37).map(({ metadata }) => metadata.name));
  expect([...named].filter((name) => !roles.has(`system:controller:${name}`))).toEqual([]);
});

const labels = (app: string) => ({ metadata: { labels: { app } } });
const podSpec = { containers: [{ name: 'main', image: 'registry.example/app:1' }] };
const workload = (kind: string, name: string, more: object = {}): KubeObject => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name },
  spec: { selector: { matchLabels: { app: name } }, template: { ...labels(name), spec: podSpec }, ...more },
});
const claim = {
  metadata: { name: 'data' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};
const ended = { 'sim.slipway.dev/main': 'exit=0,after=10ms' };
const job = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'job' },
  spec: { template: { metadata: { annotations: ended }, spec: { ...podSpec, restartPolicy: 'Never' } } },
};
const passing = { ...job, metadata: { name: 'passing' }, spec: { ...job.spec, ttlSecondsAfterFinished: 1 } };
const budget = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'web' },
  spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } },
};
const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'q' }, spec: { hard: { pods: '20' } } };
const service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web' },
  spec: { selector: { app: 'web' }, ports: [{ port: 80 }] },
};

test('controllers, scheduler and kubelets do their work with the rights they have', { timeout: 60_000 }, async () => {
  const complaints: string[] = [];
  const note = (message: string, fields: object = {}) =>
    void complaints.push(`${message} ${Object.values(fields).join(' ')}`);
  const log: Logger = { ...silentLog, warn: note, error: note };
  const cluster = await aStartedCluster({ nodes: 2, log });
  await cluster.ready();
  const { transport } = cluster.kube();
  const send = async (method: string, path: string, body?: unknown, contentType?: string) => {
    const answer = await transport.request({ method, path, body, ...(contentType && { contentType }) } as never);
    // biome-ignore lint/suspicious/noExplicitAny: whatever the server said
    return answer as { status: number; body: any };
  };
  const inX = (group: string, plural: string) => `${group}/namespaces/x/${plural}`;
  const until = (what: () => Promise<boolean>) =>
    vi.waitFor(async () => expect(await what(), complaints.slice(-3).join('\n')).toBe(true), 15_000);
  const running = async (app: string) => {
    const { body } = await send('GET', `${inX('/api/v1', 'pods')}?labelSelector=app%3D${app}`);
    return body.items.filter(({ status }: KubeObject) => status?.phase === 'Running').length;
  };

  await send('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'x' } });
  for (const [group, plural, object] of [
    ['/api/v1', 'resourcequotas', quota],
    ['/apis/apps/v1', 'deployments', workload('Deployment', 'web', { replicas: 2 })],
    [
      '/apis/apps/v1',
      'statefulsets',
      workload('StatefulSet', 'db', { serviceName: 'db', replicas: 1, volumeClaimTemplates: [claim] }),
    ],
    ['/apis/apps/v1', 'daemonsets', workload('DaemonSet', 'agent')],
    ['/apis/batch/v1', 'jobs', job],
    ['/apis/batch/v1', 'jobs', passing],
    ['/apis/policy/v1', 'poddisruptionbudgets', budget],
    ['/api/v1', 'services', service],
  ] as const) {
    const made = await send('POST', inX(group, plural), object);
    expect(made.status, JSON.stringify(made.body)).toBe(201);
  }
  for (const [app, count] of [
    ['web', 2],
    ['agent', 2],
    ['db', 1],
  ] as const)
    await until(async () => (await running(app)) === count);
  await until(async () => (await send('GET', `${inX('/apis/batch/v1', 'jobs')}/job`)).body.status?.succeeded === 1);
  await until(async () => (await send('GET', `${inX('/apis/batch/v1', 'jobs')}/passing`)).status === 404);
  const merge = 'application/merge-patch+json';
  const image = { spec: { template: { metadata: { annotations: { version: '2' } } } } };
  await send('PATCH', `${inX('/apis/apps/v1', 'deployments')}/web`, image, merge);
  await until(
    async () =>
      (await send('GET', `${inX('/apis/apps/v1', 'replicasets')}?labelSelector=app%3Dweb`)).body.items.length === 2,
  );
  await send('DELETE', '/api/v1/namespaces/x');
  await until(async () => (await send('GET', '/api/v1/namespaces/x')).status === 404);
  expect(complaints.filter((line) => /forbidden/i.test(line))).toEqual([]);
});
