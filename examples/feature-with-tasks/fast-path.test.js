import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startCluster } from '@slipway/devcluster';
import { demandLifecycle, featureServer, installFeatureCrds } from '@slipway/features';
import { CustomResourceDefinition, installDefinitions, silentLog } from '@slipway/kube';
import { fastPath, log } from './fast-path.js';
import { operatorGate } from './operator.js';
import { widgetsCrd } from './widgets-crd.js';

let cluster;
let kube;
let running;
const stopping = new AbortController();

before(async () => {
  cluster = await startCluster({ nodes: 0, log: silentLog });
  kube = cluster.kube();
  await cluster.ready();
  const namespaces = { group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces', namespaced: false };
  await kube.resource(namespaces).create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'acme' } });
  await installFeatureCrds(kube);
  await installDefinitions(kube, [widgetsCrd]);

  // In production this is the feature server of the cluster, given the definition: its tasks come with it.
  const server = featureServer({
    allowDynamic: ['*'],
    kube,
    identity: 'example',
    definitions: [fastPath],
    verifyGapMs: 100,
    guard: { settleMs: 100 },
    log: silentLog,
  });
  await server.start(stopping.signal);
  running = operatorGate().startReporting({
    transport: cluster.transport(),
    namespace: 'acme',
    instance: 'operator-0',
    startWithinMs: 0,
    dynamicFeatures: ['*'],
  });
});

after(async () => {
  await running?.stop();
  stopping.abort();
  await cluster?.stop();
});

test('FastPath lives: on, used, off without a trace, and no old value comes back', async () => {
  const report = await demandLifecycle({ kube, definition: fastPath.object });
  assert.equal(report.passed, true);
  assert.deepEqual(log.slice(0, 3), ['warmed up', 'draining', 'drained']);
  assert.ok(await kube.resource(CustomResourceDefinition).find({ name: 'widgets.acme.io' }));
});
