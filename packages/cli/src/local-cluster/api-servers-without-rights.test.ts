import { type Cluster, scaledClock, startCluster } from '@slipway/devcluster';
import { FeatureUse, installFeatureCrds, installReporterRole } from '@slipway/features';
import { ApiServers } from '@slipway/features/adapters';
import { silentLog, sleep, systemClock } from '@slipway/kube';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { featureServerRoles } from '../testing/feature-server-trial.js';
import { type RightsTrial, rightsIn, type TrialResult, tryWithout } from '../testing/missing-rights.js';
import { grantServerRights, serverUser } from './server-rights.js';

const timesAsFast = 20;
const token = 'server';
const stopping = new AbortController();
let cluster: Cluster;
let trial: RightsTrial;

beforeAll(async () => {
  const clock = scaledClock(timesAsFast);
  const tokens = { [token]: serverUser };
  cluster = await startCluster({ nodes: 1, version: '1.34', componentPages: true, tokens, clock, log: silentLog });
  await cluster.ready();
  const admin = cluster.kube();
  await installFeatureCrds(admin, stopping.signal);
  await installReporterRole(admin, stopping.signal);
  await grantServerRights(admin, undefined, stopping.signal);
  const uses = async () => (await admin.resource(FeatureUse).list({ namespace: 'kube-system' })).items;
  const headers = { authorization: `Bearer ${token}` };
  const access = { server: cluster.url, credentials: async () => ({ headers, insecure: true }) };
  trial = {
    admin,
    pass: (ms) => sleep(systemClock, ms / timesAsFast),
    async prepare() {
      for (const { metadata } of await uses()) {
        await admin.resource(FeatureUse).delete({ name: metadata.name ?? '', namespace: 'kube-system' });
      }
    },
    process: (log) => new ApiServers({ kube: cluster.kube(serverUser), access, log }),
    work: (signal) => ({
      'reporting API servers': (async () => {
        while ((await uses()).length === 0) await sleep(admin.clock, 500, signal);
      })(),
    }),
    shown: async () => '',
  };
}, 60_000);
afterAll(async () => {
  stopping.abort();
  await cluster.stop();
});

test('without a right to find or read API servers the feature server names it and goes on once it has it', async () => {
  const results: TrialResult[] = [];
  const rights = rightsIn(featureServerRoles()).filter(({ verb }) => /endpointslices|^get \//.test(verb));
  for (const right of rights) results.push(await tryWithout(trial, right));
  const outcomes = results.map(({ right, named, waiting, failure }) => [right.verb, named, waiting.length, failure]);
  expect(outcomes).toEqual([
    ['get /metrics', 'log', 1, undefined],
    ['get /flagz', 'log', 0, undefined],
    ['list endpointslices.discovery.k8s.io', 'log', 1, undefined],
    ['watch endpointslices.discovery.k8s.io', 'log', 0, undefined],
  ]);
}, 120_000);
