import { Feature } from '@slipway/features';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { hasPart, needs } from '../../tools/real-parts.js';
import { eventually, freeGates, type RunningCluster, up } from '../support/slipway.js';

beforeEach((context) => needs(context, 'kubectl'));

let cluster: RunningCluster;
beforeAll(async () => {
  if (!hasPart('kubectl')) return;
  cluster = await up({ kubernetes: freeGates, nodes: 1 });
}, 60_000);
afterAll(async () => await cluster?.[Symbol.asyncDispose]());

test('kubectl explain offers a field only while its feature is on', async () => {
  const field = 'statefulset.spec.updateStrategy.rollingUpdate.maxUnavailable';
  const offered = async () => (await cluster.kubectl(['explain', field])).code === 0;
  expect(await offered()).toBe(false);
  await turned('MaxUnavailableStatefulSet', 'on');
  expect(await offered()).toBe(true);
  await turned('MaxUnavailableStatefulSet', 'off');
  expect(await offered()).toBe(false);
}, 60_000);

test('a volume that pods hold keeps its feature turning off, until people remove the pods', async () => {
  await turned('ImageVolume', 'on');
  expect(await apply(aPod)).toMatchObject({ code: 0 });
  await eventually('the pod runs', async () => (await phase()) === 'Running');

  const plan = await cluster.slipway(['feature', 'off', 'ImageVolume', '--dry-run']);
  expect(plan.stdout).toContain(
    'wait until people have removed what uses it; nothing is deleted (pods spec.volumes[*].image)',
  );
  expect(plan.stdout).toContain('Objects that use it now: 1');
  expect(await cluster.slipway(['feature', 'off', 'ImageVolume', '--yes'])).toMatchObject({ code: 0 });
  await eventually('the pod is named', async () => {
    const { stdout } = await cluster.slipway(['feature', 'get', 'ImageVolume']);
    return /Blocked +True +ObjectsRemain/.test(stdout) && stdout.includes('1 pods use it: default/holder');
  });
  // Kubelets keep mounting: the value that they follow has not changed.
  const published = ['-n', 'kube-system', 'get', 'feature', 'imagevolume', '-o', 'jsonpath={.status.published.value}'];
  expect((await cluster.kubectl(published)).stdout).toBe('true');
  expect(await phase()).toBe('Running');

  expect(await cluster.kubectl(['delete', 'pod', 'holder', '--now'])).toMatchObject({ code: 0 });
  await isOff('imagevolume');
  const dropped = await apply({ ...aPod, metadata: { ...aPod.metadata, name: 'late' } });
  expect(
    dropped.code === 0 && (await cluster.kubectl(['get', 'pod', 'late', '-o', 'json'])).stdout.includes('reference'),
  ).toBe(false);
}, 90_000);

test('every kind that makes pods with such a volume keeps the feature turning off', async () => {
  await turned('ImageVolume', 'on');
  const { metadata, ...pod } = aPod;
  const template = { metadata: { labels: { app: 'holder' } }, spec: { ...pod.spec, restartPolicy: 'Never' } };
  const cronJob = { schedule: '0 0 1 1 *', suspend: true, jobTemplate: { spec: { template } } };
  const controller = { replicas: 0, selector: { app: 'holder' } };
  const made = [
    { apiVersion: 'batch/v1', kind: 'CronJob', metadata, spec: cronJob },
    { apiVersion: 'v1', kind: 'PodTemplate', metadata, template },
    {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata,
      spec: { replicas: 0, selector: { matchLabels: { app: 'holder' } }, template: { ...template, spec: pod.spec } },
    },
    {
      apiVersion: 'v1',
      kind: 'ReplicationController',
      metadata,
      spec: { ...controller, template: { ...template, spec: pod.spec } },
    },
  ];
  for (const object of made) expect(await apply(object)).toMatchObject({ code: 0 });
  expect(await cluster.slipway(['feature', 'off', 'ImageVolume', '--yes'])).toMatchObject({ code: 0 });
  for (const { kind } of made) {
    await eventually(`the ${kind} is named`, async () => {
      const { stdout } = await cluster.slipway(['feature', 'get', 'ImageVolume']);
      return stdout.includes(`1 ${kind.toLowerCase()}s use it: default/holder`);
    });
    // Each is named alone: the tasks wait one after the other.
    expect(await cluster.kubectl(['delete', kind, 'holder'])).toMatchObject({ code: 0 });
  }
  await isOff('imagevolume');
  const denied = await apply(made[0] ?? {});
  expect(denied.code === 0 && (await cluster.kubectl(['get', 'cronjob', 'holder', '-o', 'json'])).stdout).not.toContain(
    'reference',
  );
}, 120_000);

test('who may only view turns no feature', async () => {
  await apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'viewer', namespace: 'default' } });
  const bound = ['create', 'clusterrolebinding', 'viewer', '--clusterrole=view', '--serviceaccount=default:viewer'];
  expect(await cluster.kubectl(bound)).toMatchObject({ code: 0 });
  const as = ['--as', 'system:serviceaccount:default:viewer'];
  const denied = await cluster.kubectl([
    '-n',
    'kube-system',
    'patch',
    'feature',
    'imagevolume',
    '--type=merge',
    '-p',
    '{"spec":{"desired":"On"}}',
    ...as,
  ]);
  expect(denied).toMatchObject({ code: 1, stderr: expect.stringContaining('forbidden') });
}, 60_000);

const aPod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'holder', namespace: 'default' },
  spec: {
    containers: [{ name: 'main', image: 'registry.k8s.io/pause:3.10' }],
    volumes: [{ name: 'data', image: { reference: 'registry.k8s.io/pause:3.10', pullPolicy: 'IfNotPresent' } }],
  },
};

async function isOff(name: string): Promise<void> {
  const features = (await cluster.kube()).resource(Feature);
  await eventually('it is off', async () => {
    return (await features.get({ name, namespace: 'kube-system' })).status?.state === 'Off';
  });
}

async function phase(): Promise<string> {
  return (await cluster.kubectl(['get', 'pod', 'holder', '-o', 'jsonpath={.status.phase}'])).stdout;
}

function apply(object: object) {
  return cluster.kubectl(['apply', '-f', '-'], { stdin: JSON.stringify(object) });
}

async function turned(gate: string, to: 'on' | 'off'): Promise<void> {
  const done = await cluster.slipway(['feature', to, gate, '--yes', '--timeout=30s']);
  expect(done, done.stderr).toMatchObject({ code: 0 });
}
