import { ApiextensionsV1Api, AppsV1Api, CustomObjectsApi, KubeConfig, makeInformer } from '@kubernetes/client-node';
import { expect, test } from 'vitest';
import { eventually, up } from '../support/slipway.js';

const group = 'shop.example.org';
const version = 'v1';
const plural = 'storefronts';
const fronts = { group, version, namespace: 'default', plural };
const books = { ...fronts, name: 'books' };

interface Storefront {
  apiVersion: string;
  kind: string;
  metadata: { name?: string; namespace?: string; uid?: string; generation?: number };
  spec: { replicas?: number; title: string };
  status?: { observedGeneration?: number };
}

test('a foreign definition and controller, on the official JavaScript client', async () => {
  await using cluster = await up({ nodes: 1, args: ['--ephemeral'] });
  const config = new KubeConfig();
  config.loadFromFile(cluster.kubeconfig);
  const objects = config.makeApiClient(CustomObjectsApi);
  const apps = config.makeApiClient(AppsV1Api);

  await config.makeApiClient(ApiextensionsV1Api).createCustomResourceDefinition({ body: definition() });
  const list = () => objects.listNamespacedCustomObject(fronts);
  await eventually('the new kind is served', async () => await list());

  // The controller: a Deployment for each Storefront, and its status kept up to date.
  const informer = makeInformer(config, `/apis/${group}/${version}/namespaces/default/${plural}`, list as never);
  const failures: unknown[] = [];
  const running = new Set<Promise<unknown>>();
  const reconcile = (seen: unknown) => {
    const front = seen as Storefront;
    const { name = '', uid = '', generation = 0 } = front.metadata;
    const body = deploymentFor(name, uid, front.spec.replicas ?? 0);
    const made = apps
      .createNamespacedDeployment({ namespace: 'default', body })
      .catch(async (error: { code?: number }) => {
        if (error.code !== 409) throw error;
        const current = await apps.readNamespacedDeployment({ namespace: 'default', name });
        if (current.spec) current.spec.replicas = front.spec.replicas ?? 0;
        return await apps.replaceNamespacedDeployment({ namespace: 'default', name, body: current });
      });
    const done = made
      .then(() => {
        if (front.status?.observedGeneration === generation) return undefined;
        const status = { ...front, status: { observedGeneration: generation } };
        return objects.replaceNamespacedCustomObjectStatus({ ...fronts, name, body: status });
      })
      .catch((error) => error.code === 409 || failures.push(error))
      .finally(() => running.delete(done));
    running.add(done);
  };
  informer.on('add', reconcile);
  informer.on('update', reconcile);
  await informer.start();

  const front = {
    apiVersion: `${group}/${version}`,
    kind: 'Storefront',
    metadata: { name: 'books' },
    spec: { title: 'Books', unknown: 1 },
  };
  const created = (await objects.createNamespacedCustomObject({ ...fronts, body: front })) as Storefront;
  expect(created.spec).toEqual({ title: 'Books', replicas: 2 });

  await eventually('two pods are ready', async () => (await ready()) === 2);
  const current = (await objects.getNamespacedCustomObject(books)) as Storefront;
  current.spec.replicas = 3;
  await objects.replaceNamespacedCustomObject({ ...books, body: current });
  await eventually('three pods are ready', async () => (await ready()) === 3);
  await eventually('the status has caught up', async () => {
    const seen = (await objects.getNamespacedCustomObject(books)) as Storefront;
    return seen.status?.observedGeneration === seen.metadata.generation;
  });

  await expect(
    objects.createNamespacedCustomObject({ ...fronts, body: { ...front, metadata: { name: 'bad' }, spec: {} } }),
  ).rejects.toMatchObject({ code: 422 });

  await informer.stop();
  await Promise.all(running);
  await objects.deleteNamespacedCustomObject(books);
  await eventually(
    'what it owned is collected',
    async () => (await apps.listNamespacedDeployment({ namespace: 'default' })).items.length === 0,
  );
  expect(failures).toEqual([]);

  async function ready(): Promise<number | undefined> {
    return (await apps.readNamespacedDeployment({ namespace: 'default', name: 'books' })).status?.readyReplicas;
  }
});

function definition() {
  return {
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, singular: 'storefront', kind: 'Storefront', listKind: 'StorefrontList' },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: {
            openAPIV3Schema: {
              type: 'object',
              required: ['spec'],
              properties: {
                spec: {
                  type: 'object',
                  required: ['title'],
                  properties: { title: { type: 'string' }, replicas: { type: 'integer', minimum: 0, _default: 2 } },
                },
                status: { type: 'object', properties: { observedGeneration: { type: 'integer' } } },
              },
            },
          },
        },
      ],
    },
  };
}

function deploymentFor(name: string, uid: string, replicas: number) {
  const labels = { storefront: name };
  return {
    metadata: {
      name,
      ownerReferences: [{ apiVersion: `${group}/${version}`, kind: 'Storefront', name, uid, controller: true }],
    },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'registry.example/web:1' }] } },
    },
  };
}
