import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { AppsV1Api, CoreV1Api, KubeConfig, makeInformer } from '@kubernetes/client-node';
import { startCluster } from '@slipway/devcluster';
import { Manager, silentLog } from '@slipway/kube';
import { ManualClock } from '@slipway/kube/testing';
import { deployments, websiteController, websiteDefinition, websites } from './website-controller.js';

const definitions = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};
const pods = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };

let cluster;
let kube;
let manager;

// Every test has a cluster of its own: API server, controllers, scheduler and two simulated nodes, all in memory.
beforeEach(async () => {
  cluster = await startCluster({ nodes: 2, clock: new ManualClock(), log: silentLog });
  await cluster.ready();
  kube = cluster.kube();
  await kube.resource(definitions).create(websiteDefinition);
  manager = new Manager({ kube, log: silentLog });
  manager.add(websiteController({ kube, informers: manager.informers, log: silentLog }));
  await manager.start();
});

afterEach(async () => {
  await manager.stop();
  await cluster.stop();
});

function aWebsite(name, spec) {
  return {
    apiVersion: 'example.org/v1',
    kind: 'Website',
    metadata: { name, namespace: 'default' },
    spec: { image: 'registry.example/web:1', ...spec },
  };
}

const home = { name: 'home', namespace: 'default' };

test('a website is served by as many pods as it asks for', async () => {
  await kube.resource(websites).create(aWebsite('home', { replicas: 3 }));
  // No waiting and no polling: time stands still until it is moved on, and then all that is due is done.
  await cluster.advance(5_000);
  assert.equal((await kube.resource(websites).get(home)).status.readyReplicas, 3);

  await kube.resource(websites).merge(home, { spec: { replicas: 1, image: 'registry.example/web:2' } });
  await cluster.advance(60_000);
  const { items } = await kube.resource(pods).list({ namespace: 'default' });
  assert.deepEqual(
    items.map(({ spec, status }) => [spec.containers[0].image, status.phase]),
    [['registry.example/web:2', 'Running']],
  );
});

test('its pods move when their node dies, six minutes later', async () => {
  await kube.resource(websites).create(aWebsite('home', { replicas: 4 }));
  await cluster.advance(5_000);
  await cluster.nodes[0].stop();
  await cluster.advance(6 * 60_000 + 30_000);
  const { items } = await kube.resource(pods).list({ namespace: 'default' });
  const running = items.filter(({ metadata }) => !metadata.deletionTimestamp);
  assert.deepEqual(
    running.map(({ spec }) => spec.nodeName),
    ['n2', 'n2', 'n2', 'n2'],
  );
});

test('its deployment and pods go with it', async () => {
  await kube.resource(websites).create(aWebsite('home', { replicas: 2 }));
  await cluster.advance(5_000);
  await kube.resource(websites).delete(home);
  await cluster.advance(60_000);
  assert.equal(await kube.resource(deployments).find(home), undefined);
  assert.deepEqual((await kube.resource(pods).list({ namespace: 'default' })).items, []);
});

test('the informer of the official client sees over HTTPS what the controller does', async () => {
  const config = new KubeConfig();
  config.loadFromString(cluster.kubeconfig);
  const list = () => config.makeApiClient(CoreV1Api).listNamespacedPod({ namespace: 'default' });
  const informer = makeInformer(config, '/api/v1/namespaces/default/pods', list);
  const running = new Set();
  const allRun = new Promise((resolve, reject) => {
    informer.on('update', ({ metadata, status }) => {
      if (status?.phase === 'Running') running.add(metadata?.name);
      if (running.size === 2) resolve();
    });
    informer.on('error', reject);
  });
  await informer.start();
  try {
    await kube.resource(websites).create(aWebsite('home', { replicas: 2 }));
    await cluster.advance(5_000);
    await allRun;
    const deployment = await config.makeApiClient(AppsV1Api).readNamespacedDeployment(home);
    assert.equal(deployment.status?.readyReplicas, 2);
  } finally {
    await informer.stop();
  }
});
