import { aCluster } from '@slipway/devcluster/testing/a-cluster';
import { aStartedCluster } from '@slipway/devcluster/testing/started-cluster';
import { CustomResourceDefinition, findCondition, Kube } from '@slipway/kube';
import { configMaps, namespaces, serviceAccounts } from '@slipway/kube-objects/kinds/api/core';
import { pods } from '@slipway/kube-objects/kinds/api/pods';
import { deployments } from '@slipway/kube-objects/kinds/api/workloads';
import { aDeployment, aPod } from '@slipway/kube-objects/testing/objects';
import { until } from '@slipway/kube-objects/testing/until';
import { expect, test } from 'vitest';
import { aCustomKind, aCustomObject, customObjects } from '../testing/custom-kind.js';

const aNamespace = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
const aConfigMap = (name: string, namespace: string, finalizers?: string[]) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace, ...(finalizers && { finalizers }) },
});
const goes = (kube: Kube, name: string) =>
  until(`namespace ${name} to go`, async () => !(await kube.resource(namespaces).find({ name })));

test('every namespace gets its service account and the certificate of the cluster, again when they are lost', async () => {
  await using cluster = await aCluster({ nodes: 0 });
  const { kube } = cluster;
  await kube.resource(namespaces).create(aNamespace('team'));
  const account = { namespace: 'team', name: 'default' };
  const certificate = { namespace: 'team', name: 'kube-root-ca.crt' };
  const first = await until('the account', () => kube.resource(serviceAccounts).find(account));
  expect((await until('the certificate', () => kube.resource(configMaps).find(certificate))).data).toEqual({
    'ca.crt': 'PEM',
  });
  await kube.resource(serviceAccounts).delete(account);
  const second = await until('another account', () => kube.resource(serviceAccounts).find(account));
  expect(second.metadata.uid).not.toBe(first.metadata.uid);
  await kube.resource(configMaps).merge(certificate, { data: { 'ca.crt': 'another', more: 'x' } });
  await until('the right certificate', async () => {
    const { data } = await kube.resource(configMaps).get(certificate);
    return data?.['ca.crt'] === 'PEM' && data.more === undefined;
  });
});

test('a namespace goes with everything in it, pods that take their time included', async () => {
  await using cluster = await aCluster({ delays: { stopMs: 20 } });
  const { kube } = cluster;
  await kube.resource(namespaces).create(aNamespace('team'));
  const { metadata, ...rest } = aDeployment({ replicas: 5 });
  await kube.resource(deployments).create({ ...rest, metadata: { name: metadata.name ?? '', namespace: 'team' } });
  await until('the rollout', async () => {
    const { status } = await kube.resource(deployments).get({ namespace: 'team', name: 'web' });
    return status?.availableReplicas === 5;
  });
  await kube.resource(namespaces).delete({ name: 'team' });
  await goes(kube, 'team');
});

test('the pods of a namespace go before anything that they may use', async () => {
  await using cluster = await aCluster({ nodes: 0 });
  const { kube } = cluster;
  await kube.resource(namespaces).create(aNamespace('team'));
  await until('the account', () => kube.resource(serviceAccounts).find({ namespace: 'team', name: 'default' }));
  const metadata = { namespace: 'team', finalizers: ['example.com/hold'] };
  const pod = aPod('held', { metadata });
  await kube.resource(pods).create(pod);
  await kube.resource(configMaps).create(aConfigMap('used', 'team'));
  await kube.resource(namespaces).delete({ name: 'team' });
  await until('the conditions', async () => {
    const { status } = await kube.resource(namespaces).get({ name: 'team' });
    return findCondition(status?.conditions, 'NamespaceContentRemaining')?.message?.includes('pods. has 1');
  });
  const used = await kube.resource(configMaps).get({ namespace: 'team', name: 'used' });
  expect(used.metadata.deletionTimestamp).toBeUndefined();
  await kube.resource(pods).merge({ namespace: 'team', name: 'held' }, { metadata: { finalizers: null } });
  await goes(kube, 'team');
});

test('a namespace says what holds it, and goes when that is gone', async () => {
  await using cluster = await aCluster({ nodes: 0 });
  const { kube } = cluster;
  await kube.resource(namespaces).create(aNamespace('team'));
  await kube.resource(configMaps).create(aConfigMap('held', 'team', ['example.com/hold']));
  await kube.resource(namespaces).delete({ name: 'team' });
  const { status } = await until('the conditions', async () => {
    const found = await kube.resource(namespaces).get({ name: 'team' });
    return findCondition(found.status?.conditions, 'NamespaceContentRemaining')?.status === 'True' && found;
  });
  expect(status?.phase).toBe('Terminating');
  expect(status?.conditions?.map(({ type, status, reason, message }) => [type, status, reason, message])).toEqual([
    [
      'NamespaceDeletionContentFailure',
      'False',
      'ContentDeleted',
      'All content successfully deleted, may be waiting on finalization',
    ],
    [
      'NamespaceContentRemaining',
      'True',
      'SomeResourcesRemain',
      'Some resources are remaining: configmaps. has 1 resource instances',
    ],
    [
      'NamespaceFinalizersRemaining',
      'True',
      'SomeFinalizersRemain',
      'Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances',
    ],
  ]);
  await kube.resource(configMaps).merge({ namespace: 'team', name: 'held' }, { metadata: { finalizers: null } });
  await goes(kube, 'team');
});

test('a namespace goes with its custom objects', async () => {
  const cluster = await aStartedCluster({ nodes: 0 });
  await cluster.ready();
  const kube = new Kube(cluster.transport());
  await kube.resource(CustomResourceDefinition).create(aCustomKind());
  await kube.resource(namespaces).create(aNamespace('team'));
  await until('an object', () =>
    kube
      .resource(customObjects)
      .create(aCustomObject('w', 'team'))
      .catch(() => undefined),
  );
  await kube.resource(namespaces).delete({ name: 'team' });
  await goes(kube, 'team');
  expect((await kube.resource(customObjects).list()).items).toEqual([]);
});
