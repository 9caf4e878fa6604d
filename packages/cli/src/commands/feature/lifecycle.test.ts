import { type Cluster, startCluster } from '@slipway/devcluster';
import { createFeatureGate } from '@slipway/feature-gates';
import {
  type DefinedFeature,
  defineFeature,
  demandLifecycle,
  FeatureDefinition,
  featureServer,
  imageVolume,
  installFeatureCrds,
  installReporterRole,
  type LifecycleOptions,
  maxUnavailableStatefulSet,
  openApiV3,
} from '@slipway/features';
import {
  CustomResourceDefinition,
  customResourceDefinition,
  type Kube,
  type KubeObject,
  silentLog,
} from '@slipway/kube';
import { afterAll, beforeAll, expect, test } from 'vitest';

// Features through their whole life on a cluster: every definition that we ship, and each kind of task.

let cluster: Cluster;
let kube: Kube;
let stopServer = async () => {};
beforeAll(async () => {
  cluster = await startCluster({ nodes: 1, version: '1.34', log: silentLog });
  kube = cluster.kube();
  await installFeatureCrds(kube);
  await installReporterRole(kube);
  cluster.startReporting();
  stopServer = await startServer();
  await cluster.ready();
  const namespaces = { group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces', namespaced: false };
  for (const name of ['acme', 'slipway-trials'])
    await kube.resource(namespaces).create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
}, 60_000);
afterAll(async () => {
  await stopServer();
  await cluster.stop();
});

const live = [maxUnavailableStatefulSet, openApiV3, imageVolume].map((define) => define({ dynamic: 'Live' }));

/** A feature server as `up` has one, that does not wait as long. */
async function startServer(): Promise<() => Promise<void>> {
  const guard = { settleMs: 100 };
  const server = featureServer({
    kube,
    identity: 'test',
    definitions: live,
    allowDynamic: ['*'],
    verifyGapMs: 500,
    guard,
    log: silentLog,
  });
  const stopping = new AbortController();
  await server.start(stopping.signal);
  return async () => {
    stopping.abort();
    await server.stop?.();
  };
}

async function play({ object }: DefinedFeature, options: Partial<LifecycleOptions> = {}): Promise<void> {
  const killLeader = async () => {
    await stopServer();
    stopServer = await startServer();
  };
  await demandLifecycle({ kube, definition: object, withinMs: 40_000, killLeader, ...options });
}

test('a feature with configuration of its own lives by the flags of its process', async () => {
  const defined = defineFeature({ ...ofAcme('SizedQueue'), dynamic: 'Never' });
  await kube.resource(FeatureDefinition).create(defined.object);
  const start = (value: boolean) => {
    const gate = createFeatureGate({ component: 'acme-operator', version: '1.0' });
    gate.add({ SizedQueue: [{ version: '1.0', stage: 'Alpha', default: false }] });
    gate.registerConfig('SizedQueue', '--queue-size');
    gate.set(`SizedQueue=${value}`);
    return gate.startReporting({ transport: cluster.transport(), ...reporting('acme') });
  };
  let running = start(true);
  const setFlag = async (value: boolean) => {
    await running.stop();
    running = start(value);
  };
  await play(defined, { setFlag });
  await running.stop();
}, 90_000);

test('a field of a custom resource lives, and is published only while it may be used', async () => {
  await kube.resource(CustomResourceDefinition).create(aCrd('widgets', 'Widget', { fast: { type: 'boolean' } }));
  const field = { group: 'acme.io', resource: 'widgets', path: 'spec.fast' };
  const published = { crd: 'widgets.acme.io', path: 'spec.fast' };
  const defined = defineFeature({
    ...ofAcme('FastWidgets'),
    scope: 'Cluster',
    references: [field],
    tasks: {
      on: [{ kind: 'ShowField', args: published, phase: 'BeforePublish' }],
      off: [
        { kind: 'ClearField', args: { ...field, backup: 'None' } },
        { kind: 'HideField', args: published, phase: 'AfterClean' },
      ],
    },
    exercise: [anExample('Widget', { fast: true, size: 1 })],
  });
  await using _process = await declared(defined);
  const offered: [string, boolean][] = [];
  let looked = Promise.resolve();
  await play(defined, {
    onStep({ name }) {
      looked = looked.then(async () => void offered.push([name, await isPublished()]));
    },
  });
  await looked;
  expect(Object.fromEntries(offered)).toMatchObject({ on: true, used: true, off: false, 'on again': true });

  async function isPublished(): Promise<boolean> {
    const { body } = await cluster.transport().request({ method: 'GET', path: '/openapi/v3/apis/acme.io/v1' });
    return /\bfast\b/.test(JSON.stringify(body));
  }
}, 90_000);

test('a whole collection lives: its CRD comes with the feature, and goes with it', async () => {
  const crd = aCrd('gadgets', 'Gadget', {});
  const collection = { group: 'acme.io', resource: 'gadgets' };
  const defined = defineFeature({
    ...ofAcme('Gadgets'),
    scope: 'Cluster',
    references: [{ ...collection, kind: 'Object' }],
    tasks: {
      on: [{ kind: 'InstallCRD', args: { crd }, phase: 'BeforePublish' }],
      off: [
        { kind: 'ClearCollection', args: collection },
        { kind: 'RemoveCRD', args: { name: 'gadgets.acme.io' }, phase: 'AfterClean' },
      ],
    },
    exercise: [anExample('Gadget', { size: 1 })],
  });
  await using _process = await declared(defined);
  await play(defined);
  expect(await kube.resource(CustomResourceDefinition).find({ name: 'gadgets.acme.io' })).toBeUndefined();
}, 90_000);

test('a life fails with the step that went wrong: an exercise that does not use the feature proves nothing', async () => {
  const defined = defineFeature({
    ...ofAcme('Vacuous'),
    references: [{ group: '', resource: 'configmaps', path: 'data.vacuous' }],
    exercise: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'vacuous', namespace: 'acme' }, data: {} }],
  });
  await using _process = await declared(defined);
  await expect(play(defined)).rejects.toThrow('used: the exercise does not use the feature');
}, 90_000);

// Last: what is published can be looked at while OpenAPIV3 is on.
test.each(live)('a feature of the cluster lives: $object.spec.gate', (defined) => play(defined), 90_000);

const reporting = (namespace: string) => ({
  namespace,
  instance: 'one',
  startWithinMs: 0,
  dynamicFeatures: ['*'],
  log: () => {},
});

const ofAcme = (gate: string) =>
  ({ gate, namespace: 'acme', components: ['acme-operator'], dynamic: 'Live', disable: 'Supported' }) as const;

/** Declares a feature, and runs a process that takes its value from the API. */
async function declared({ object }: DefinedFeature) {
  await kube.resource(FeatureDefinition).create(object);
  const gate = createFeatureGate({ component: 'acme-operator', version: '1.0' });
  gate.add({ [object.spec.gate]: [{ version: '1.0', stage: 'Alpha', default: false }] });
  gate.declareLive(object.spec.gate);
  return gate.startReporting({ transport: cluster.transport(), ...reporting('acme') });
}

function anExample(kind: string, spec: object): KubeObject {
  return { apiVersion: 'acme.io/v1', kind, metadata: { name: 'example', namespace: 'acme' }, spec };
}

function aCrd(plural: string, kind: string, fields: object): KubeObject {
  const resource = { group: 'acme.io', version: 'v1', kind, plural, namespaced: true };
  const spec = { type: 'object', properties: { size: { type: 'integer' }, ...fields } };
  return customResourceDefinition({ resource, spec });
}
