import { Kube, type KubeObject, leases } from '@slipway/kube';
import { ManualClock } from '@slipway/kube/testing';
import { configMaps } from '@slipway/kube-objects/kinds/api/core';
import { endpoints } from '@slipway/kube-objects/kinds/api/services';
import { statefulSets } from '@slipway/kube-objects/kinds/api/workloads';
import { parseYaml } from '@slipway/safe-yaml';
import { expect, test, vi } from 'vitest';
import type { ClusterOptions } from './cluster.js';
import { controlVerbs } from './control-verbs.js';
import { aConfigMap } from './testing/some-objects.js';
import { aStartedCluster } from './testing/started-cluster.js';

// Clusters start and stop in here, beside all other tests of the machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const gate = 'MaxUnavailableStatefulSet';

async function aCluster(options: ClusterOptions) {
  const cluster = await aStartedCluster({ nodes: 0, ...options });
  const ask = controlVerbs(cluster, '1.34');
  const kubeOf = (server: number) => new Kube(cluster.servers[server - 1]?.transport() ?? cluster.transport());
  return { cluster, ask, kubeOf };
}

function aStatefulSet(name: string): KubeObject {
  const labels = { app: name };
  const containers = [{ name: 'main', image: 'registry.example/app:1' }];
  const spec = {
    serviceName: name,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers } },
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 2 } },
  };
  return { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name, namespace: 'default' }, spec };
}

async function text(kube: Kube, path: string): Promise<string> {
  const { body } = await kube.transport.request({ method: 'GET', path });
  return typeof body === 'string' ? body : JSON.stringify(body);
}

test('API servers over one store have their own version, gates, address and lease', async () => {
  const { cluster, kubeOf } = await aCluster({
    version: '1.34',
    servers: [{}, { version: '1.35', featureGates: { [gate]: true } }],
  });
  const [one, two] = [kubeOf(1), kubeOf(2)];
  expect(await text(one, '/version')).toContain('"minor":"34"');
  expect(await text(two, '/version')).toContain('"minor":"35"');
  expect(await text(one, '/metrics')).toContain(`kubernetes_feature_enabled{name="${gate}",stage="ALPHA"} 0\n`);
  expect(await text(two, '/metrics')).toContain(`kubernetes_feature_enabled{name="${gate}",stage="BETA"} 1\n`);
  expect(await text(two, '/metrics')).toMatch(/^kubernetes_build_info\{.*git_version="v1\.35\.0\+slipway\.1"/m);

  // The field of a gate that is off is dropped by the server that a client happens to talk to.
  await one.resource(statefulSets).create(aStatefulSet('by-one') as never);
  await two.resource(statefulSets).create(aStatefulSet('by-two') as never);
  const stored = async (name: string) =>
    (await one.resource(statefulSets).get({ namespace: 'default', name })).spec.updateStrategy?.rollingUpdate;
  expect(await stored('by-one')).not.toHaveProperty('maxUnavailable');
  expect(await stored('by-two')).toMatchObject({ maxUnavailable: 2 });

  const ofServers = { namespace: 'kube-system', labelSelector: 'apiserver.kubernetes.io/identity' };
  const { items } = await one.resource(leases).list(ofServers);
  expect(items.map(({ metadata }) => metadata.name).sort()).toEqual(
    cluster.servers.map(({ identity }) => identity).sort(),
  );
  expect(new Set([cluster.url, ...cluster.servers.map(({ url }) => url)]).size).toBe(3);
});

test('a kubeconfig leads to the cluster as a whole and to each server', async () => {
  const { cluster } = await aCluster({ name: 'skew', servers: [{}, { version: '1.35' }] });
  const config = parseYaml(cluster.kubeconfig) as { contexts: { name: string }[]; 'current-context': string };
  expect(config.contexts.map(({ name }) => name)).toEqual([
    'slipway-skew',
    'slipway-skew-server-1',
    'slipway-skew-server-2',
  ]);
  expect(config['current-context']).toBe('slipway-skew');
});

test('the cluster answers while any server runs, and its leases show which', async () => {
  const clock = new ManualClock();
  const { cluster, ask, kubeOf } = await aCluster({ clock, servers: [{}, {}] });
  const kube = cluster.kube();
  const renewals = async () =>
    Promise.all(
      cluster.servers.map(async ({ identity: name }) => {
        const { spec } = await kube.resource(leases).get({ namespace: 'kube-system', name });
        return spec.renewTime;
      }),
    );
  const watching = (async () => {
    for await (const frame of kube.resource(configMaps).watch({ namespace: 'default' }, new AbortController().signal)) {
      expect(frame.type).toBe('ADDED');
    }
  })();

  const announced = async () => {
    const { subsets } = await kube.resource(endpoints).get({ namespace: 'default', name: 'kubernetes' });
    return subsets?.map(({ addresses, ports }) => `https://${addresses?.[0]?.ip}:${ports?.[0]?.port}`) ?? [];
  };
  const urls = cluster.servers.map(({ url }) => url);
  await clock.advance(1_000);
  await vi.waitFor(async () => expect((await announced()).sort()).toEqual([...urls].sort()), 15_000);
  expect(await ask({ verb: 'server', action: 'stop', server: 1 })).toMatchObject({ number: 1, state: 'Stopped' });
  expect(await announced()).toEqual([urls[1]]);
  await watching;
  await expect(kubeOf(1).resource(configMaps).list()).rejects.toMatchObject({ code: 503 });
  const before = await renewals();
  await clock.advance(10_000);
  const after = await renewals();
  expect([after[0] === before[0], after[1] === before[1]]).toEqual([true, false]);

  await kube.resource(configMaps).create(aConfigMap('while-one-is-away'));
  await ask({ verb: 'server', action: 'stop', server: 2 });
  await expect(kube.resource(configMaps).list()).rejects.toMatchObject({ code: 503 });
  const { url } = cluster.servers[0] ?? { url: '' };
  await ask({ verb: 'server', action: 'start', server: 1 });
  expect(cluster.servers[0]?.url).toBe(url);
  expect((await kube.resource(configMaps).list()).items.map(({ metadata }) => metadata.name)).toContain(
    'while-one-is-away',
  );
});

test('the lease of a server that is gone for an hour goes, too, wherever the clock is set to', async () => {
  const clock = new ManualClock();
  const { cluster, ask } = await aCluster({ clock, servers: [{}, {}] });
  const there = async () => {
    const { items } = await cluster.kube().resource(leases).list({ namespace: 'kube-system' });
    return cluster.servers.map(({ identity }) => items.some(({ metadata }) => metadata.name === identity));
  };
  await cluster.advance(10 * 60_000);
  await ask({ verb: 'server', action: 'stop', server: 2 });
  await cluster.advance(55 * 60_000);
  expect(await there()).toEqual([true, true]);
  await cluster.advance(20 * 60_000);
  expect(await there()).toEqual([true, false]);
  await ask({ verb: 'server', action: 'start', server: 2 });
  await cluster.advance(0);
  expect(await there()).toEqual([true, true]);
});

test('a server is restarted as it was, or with another version and other gates', async () => {
  const { cluster, ask } = await aCluster({ servers: [{ featureGates: { [gate]: true } }, {}] });
  const restart = (more: object) => ask({ verb: 'server', action: 'restart', server: 1, ...more });
  expect(await restart({})).toMatchObject({ version: '1.37', featureGates: `${gate}=true` });
  expect(await restart({ version: '1.35' })).toMatchObject({ version: '1.35', featureGates: `${gate}=true` });
  expect(await restart({ featureGates: {} })).toMatchObject({ version: '1.35', featureGates: '' });
  expect(await ask({ verb: 'servers' })).toMatchObject([
    { number: 1, version: '1.35', state: 'Running' },
    { number: 2, version: '1.37', state: 'Running' },
  ]);
  expect(cluster.components.filter(({ name }) => name === 'kube-apiserver')).toHaveLength(2);
});

test.each([
  ['a version that is none', { action: 'restart', server: 2, version: 'new' }, /"new" is not a Kubernetes version/],
  ['a gate that there is not', { action: 'restart', server: 2, featureGates: { Nope: true } }, /refuses .*Nope/],
  ['a server that there is not', { action: 'stop', server: 3 }, /there is no API server 3/],
  ['a start of what runs', { action: 'start', server: 1 }, /API server 1 is already running/],
  ['what no server can do', { action: 'dance', server: 1 }, /stop, start, restart/],
])('control refuses %s, and all runs on', async (_what, request, message) => {
  const { cluster, ask } = await aCluster({ servers: [{}, {}] });
  await expect(ask({ verb: 'server', ...request })).rejects.toThrow(message);
  expect(cluster.servers.map(({ isRunning }) => isRunning)).toEqual([true, true]);
});

test.each(['1.36', '1.34'])('a cluster is complete where the first of its API servers is of %s', async (version) => {
  const { cluster } = await aCluster({ servers: [{ version }, {}], nodes: 1 });
  await cluster.ready();
});

test.each([
  ['no server', { servers: [] }, /at least one API server/],
  ['a version that is none', { servers: [{ version: '2' }] }, /"2" is not a Kubernetes version/],
  ['a gate a server does not know', { servers: [{}, { featureGates: { Nope: true } }] }, /Nope/],
])('startCluster() refuses %s', async (_what, options, message) => {
  await expect(aCluster(options)).rejects.toMatchObject({ message: expect.stringMatching(message), exitCode: 2 });
});
