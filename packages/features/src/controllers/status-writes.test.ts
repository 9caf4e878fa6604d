import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FeatureUse } from '../api/feature-use.js';
import { aCluster, type SimulatedProcess, type TestCluster } from '../testing/a-cluster.js';
import { serve } from '../testing/serve.js';
import { Lease } from '../uses/watch-rosters.js';

const namespace = 'kube-system';
const nodeLease = { name: 'node-1', namespace: 'kube-node-lease' };

function aProcess(component: string, gate: string, value: boolean): SimulatedProcess {
  return { component, instance: 'one', gate, value, pinned: false };
}

const statusWrites = ({ api }: TestCluster, gate: string) =>
  api.requests.filter(({ method, path }) => method !== 'GET' && path.includes(`/features/${gate.toLowerCase()}/status`))
    .length;

// values by component
const announced: [string, Record<string, boolean>][] = [
  ['On', { 'kube-apiserver': true }],
  ['Off', { 'kube-apiserver': false }],
  ['On', { 'kube-apiserver': true, kubelet: true }],
  ['Unknown', { 'kube-apiserver': true, kubelet: false }],
  ['Unknown', { 'kube-apiserver': false, kubelet: true }],
];

test.each(announced)('featureServer() writes one status of a new Feature: %s, of %j', async (state, values) => {
  const cluster = aCluster();
  const reporters = Object.entries(values).map(([component, value]) => aProcess(component, 'Alpha', value));
  cluster.processes(...reporters);
  await cluster.until(() => cluster.api.stored({ group: 'features.slipway.dev', plural: 'featureuses' }).length > 0);
  const stop = serve(cluster.client());
  await cluster.until(() => cluster.feature('alpha')?.status?.state === state);
  await cluster.clock.advance(30_000);
  expect(statusWrites(cluster, 'Alpha')).toBe(1);
  await stop();
});

type Incident = 'heartbeat' | 'node lease' | 'watches end' | 'history is forgotten' | 'server restarts' | 'time passes';
const incident = fc.constantFrom<Incident>(
  'heartbeat',
  'node lease',
  'watches end',
  'history is forgotten',
  'server restarts',
  'time passes',
);

test('featureServer() writes no status for what changes no meaning, in any order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(incident, { minLength: 1, maxLength: 12 }), async (incidents) => {
      const cluster = aCluster();
      cluster.processes(aProcess('kube-apiserver', 'Alpha', true), aProcess('kubelet', 'Beta', false));
      const spec = { holderIdentity: 'node-1', renewTime: 't0' };
      cluster.api.seed(
        { group: 'coordination.k8s.io', plural: 'leases' },
        { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: nodeLease, spec },
      );
      let stop = serve(cluster.client());
      const isSettled = () =>
        cluster.feature('alpha')?.status?.state === 'On' && cluster.feature('beta')?.status?.state === 'Off';
      await cluster.until(isSettled);
      await cluster.clock.advance(30_000);
      const before = [cluster.feature('alpha'), cluster.feature('beta')];
      const renew = async (beat: number) => {
        for (const { metadata } of cluster.api.stored({ group: 'features.slipway.dev', plural: 'featureuses' })) {
          const spec = { renewTime: new Date(cluster.clock.now() + beat).toISOString() };
          await cluster.kube.resource(FeatureUse).merge({ name: metadata.name ?? '', namespace }, { spec });
        }
      };
      for (const [index, each] of incidents.entries()) {
        if (each === 'heartbeat') await renew(index);
        if (each === 'node lease')
          await cluster.kube.resource(Lease).merge(nodeLease, { spec: { renewTime: `t${index + 1}` } });
        if (each === 'watches end') cluster.api.endWatches();
        if (each === 'history is forgotten') cluster.api.compact();
        if (each === 'server restarts') {
          await stop();
          stop = serve(cluster.client());
        }
        // Within the lease of a report, and beyond the interval in which everything is reconciled again.
        if (each === 'time passes')
          for (let part = 0; part < 2; part++) {
            await cluster.clock.advance(310_000);
            await renew(index);
          }
        await cluster.clock.advance(2_000);
      }
      expect([cluster.feature('alpha'), cluster.feature('beta')]).toEqual(before);
      await stop();
    }),
    { numRuns: 12 },
  );
}, 60_000);
