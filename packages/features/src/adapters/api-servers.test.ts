import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Kube, type KubeObject, silentLog } from '@slipway/kube';
import { inMemoryApi, ManualClock } from '@slipway/kube/testing';
import { expect, test } from 'vitest';
import { Lease } from '../uses/watch-rosters.js';
import { ApiServers } from './api-servers.js';

/** An API whose two servers are known by their leases; the pages of some can be read. */
async function aStory(reachable: 1 | 2) {
  const page = createServer((_, response) => {
    response.end('kubernetes_feature_enabled{name="A",stage="ALPHA"} 1\nprocess_start_time_seconds 7\n');
  });
  page.listen(0, '127.0.0.1');
  await once(page, 'listening');
  const api = inMemoryApi();
  const lease = (name: string): KubeObject => ({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, namespace: 'kube-system', labels: { 'apiserver.kubernetes.io/identity': 'kube-apiserver' } },
    spec: { holderIdentity: `${name}_1`, renewTime: '2026-01-01T00:00:00Z' },
  });
  const slice = (name: string): KubeObject => ({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name, namespace: 'default', labels: { 'kubernetes.io/service-name': 'kubernetes' } },
    endpoints: [{ addresses: [name === 'first' ? '127.0.0.1' : '127.0.0.2'] }],
    ports: [{ name: 'https', port: (page.address() as AddressInfo).port }],
  });
  api.seed({ group: 'coordination.k8s.io', plural: 'leases' }, lease('apiserver-a'), lease('apiserver-b'));
  const slices = ['first', 'second'].slice(0, reachable).map(slice);
  api.seed({ group: 'discovery.k8s.io', plural: 'endpointslices' }, ...slices);
  const warnings: string[] = [];
  const log = { ...silentLog, warn: (message: string) => void warnings.push(message) };
  const clock = new ManualClock();
  const kube = new Kube(api, { clock });
  const servers = new ApiServers({
    kube,
    log,
    random: () => 0,
    access: { server: 'https://any', credentials: async () => ({ insecure: true }) },
  });
  const stop = new AbortController();
  const working = servers.start(stop.signal);
  return {
    api,
    clock,
    kube,
    warnings,
    servers,
    async [Symbol.asyncDispose]() {
      stop.abort(new Error('over'));
      await clock.advance(1_000);
      await working;
      page.closeAllConnections();
      page.close();
    },
  };
}

test('ApiServers says which API servers have no address of their own', async () => {
  await using story = await aStory(1);
  await expect
    .poll(() => story.warnings)
    .toContain(
      '0 of 2 API servers can be read: EndpointSlices of default/kubernetes have no address of apiserver-a, apiserver-b',
    );
  expect(story.servers.clients()).toHaveLength(1);
  expect(story.api.stored({ group: 'features.slipway.dev', plural: 'featureuses' })).toEqual([]);
});

test('ApiServers has a client of each API server, and says once whose page it cannot read', async () => {
  await using story = await aStory(2);
  await expect.poll(() => story.servers.clients().length).toBe(2);
  await expect.poll(() => story.warnings).toContain('the gates of an API server cannot be read');
});

test('ApiServers lists each resource once and watches it; no change of a lease costs a request', async () => {
  await using story = await aStory(2);
  await expect.poll(() => story.servers.clients().length).toBe(2);
  const reads = () =>
    story.api.requests.filter(({ method, path }) => method === 'GET' && !path.includes('features.slipway.dev'));
  const before = reads().length;
  expect(before).toBe(6);
  const lease = { name: 'apiserver-a', namespace: 'kube-system' };
  for (let beat = 0; beat < 5; beat++) {
    await story.clock.advance(10_000);
    await story.kube.resource(Lease).merge(lease, { spec: { renewTime: `t${beat}` } });
  }
  expect(reads().length).toBe(before);
});

test('ApiServers keeps what it knows while it sees no API server renew its identity', async () => {
  await using story = await aStory(2);
  await expect.poll(() => story.servers.clients().length).toBe(2);
  await story.clock.advance(120_000);
  expect(story.servers.clients()).toHaveLength(2);
});
