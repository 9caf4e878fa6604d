import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { hasPart, needs } from '../../tools/real-parts.js';
import { HalfWayFeatures } from '../support/half-way-features.js';
import { type RealKubernetes, realKubernetes } from '../support/real-kubernetes.js';
import { eventually } from '../support/slipway.js';

// What happens to a real control plane while a feature is turned off: the feature server does not end, and loses no step.

const foreignKinds = 200;
const users = 8;

let real: RealKubernetes;
let features: HalfWayFeatures;
beforeAll(async () => {
  if (!hasPart('real Kubernetes') || !hasPart('kubectl')) return;
  real = await realKubernetes(process.env.SLIPWAY_REAL_KUBERNETES ?? '');
  features = new HalfWayFeatures(real, 'fault-');
}, 180_000);
afterAll(async () => {
  await real?.[Symbol.asyncDispose]();
});

beforeEach((context) => {
  needs(context, 'real Kubernetes');
  needs(context, 'kubectl');
});

test('slipway is installed on a cluster with 200 definitions of others, and reads none of their objects', async () => {
  const items = Array.from({ length: foreignKinds }, (_, index) => aForeignKind(index));
  expect(await real.kubectl(['create', '-f', '-'], { apiVersion: 'v1', kind: 'List', items })).toMatchObject({
    code: 0,
  });
  const installed = await real.slipway('install', '--no-processes', '--guards');
  expect(installed, installed.stderr).toMatchObject({ code: 0 });
  const { stdout } = await real.kubectl(['-n', 'slipway-system', 'create', 'token', 'slipway-feature-server']);
  real.start(stdout, 'run', 'feature-server', '--listen', '127.0.0.1:0');
  await eventually('the server works', async () => real.log('feature-server').includes('health at'), 60_000);
  for (const name of ['etcd', 'api-server', 'webhook']) await features.defineSlow(name, users);
  expect(real.log('feature-server')).not.toMatch(/foreign/);
});

test('etcd is killed while objects are cleared: every value is cleared and can be restored', async () => {
  await features.turn(real, 'off', 'etcd');
  await features.isBeingCleared('etcd', users);
  await real.crashEtcd(3000);
  await expectClearedAndRestored('etcd');
}, 240_000);

test('the API server is started again while objects are cleared: the same', async () => {
  await features.turn(real, 'off', 'api-server');
  await features.isBeingCleared('api-server', users);
  await real.restart('');
  await expectClearedAndRestored('api-server');
}, 240_000);

test('an admission webhook is down: the task waits and names it, and goes on without a person when it is gone', async () => {
  await features.turn(real, 'off', 'webhook');
  await features.isBeingCleared('webhook', users);
  expect(await real.kubectl(['create', '-f', '-'], webhook)).toMatchObject({ code: 0 });
  await eventually('the task names the webhook', async () => {
    const { status } = await features.see('webhook');
    return status.transition?.tasks[0]?.message?.includes('away.example.com') ?? false;
  });
  expect(await features.values('webhook')).toBeGreaterThan(0);
  await real.kubectl(['delete', 'validatingwebhookconfiguration', 'away']);
  await expectClearedAndRestored('webhook');
}, 240_000);

async function expectClearedAndRestored(name: string): Promise<void> {
  await features.reaches(name, 'Off');
  expect(await features.values(name)).toBe(0);
  expect((await features.see(name)).status.history?.[0]).toMatchObject({ result: 'Completed' });
  await features.turn(real, 'on', name);
  await features.reaches(name, 'On');
  await features.restore(real, name);
  await eventually('every value is back', async () => (await features.values(name)) === users);
}

function aForeignKind(index: number): object {
  const [group, plural] = [`group-${index % 20}.foreign.example.com`, `things${index}`];
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind: `Thing${index}`, plural, singular: `thing${index}` },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
}

/** Asked about every change of a ConfigMap in one namespace, at an address where nothing listens. */
const webhook = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'away' },
  webhooks: [
    {
      name: 'away.example.com',
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      failurePolicy: 'Fail',
      timeoutSeconds: 1,
      clientConfig: { url: 'https://127.0.0.1:1/' },
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'fault-webhook' } },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['configmaps'] }],
    },
  ],
};
