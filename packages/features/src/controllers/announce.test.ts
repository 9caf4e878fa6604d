import { vectorName } from '@slipway/feature-gates';
import type { EventRecorder } from '@slipway/kube';
import { silentLog } from '@slipway/kube';
import { expect, test } from 'vitest';
import { Feature } from '../api/feature.js';
import { apiVersion } from '../api/group.js';
import { builtInTasks, TaskCatalog } from '../catalogue/task-catalog.js';
import { aCluster } from '../testing/a-cluster.js';
import { type AnnounceDeps, announceReported } from './announce.js';

const namespace = 'acme';

test('announceReported() makes no more Features than the limit says, whatever a vector names, and keeps those there are', async () => {
  const { api, kube, clock } = aCluster();
  const stored = () => api.stored(Feature).filter(({ metadata }) => metadata.namespace === namespace) as Feature[];
  const features: AnnounceDeps['features'] = {
    get: (ref) => stored().find(({ metadata }) => metadata.name === ref.name),
    list: () => stored(),
    byIndex: () => [],
  };
  const spec = {
    component: 'agent',
    binaryVersion: '1.0.0',
    gates: Array.from({ length: 8 }, (_none, index) => ({ name: `G${index}`, enabled: true })),
  };
  const name = vectorName(spec);
  const vector = { apiVersion, kind: 'FeatureVector', metadata: { name, namespace }, spec };
  const announce = announceReported({
    kube,
    leadership: { leads: () => true, knowsAll: () => true },
    features,
    definitions: { get: () => undefined, list: () => [], byIndex: () => [] },
    vectors: { get: () => vector },
    maxAnnounced: () => 5,
    tasks: new TaskCatalog(builtInTasks()),
    shipped: new Set(),
    self: async () => undefined,
  });
  const { signal } = new AbortController();
  const events = { event: () => {} } as unknown as EventRecorder;
  for (let round = 0; round < 2; round++) {
    await announce({ name, namespace }, { signal, events, now: () => clock.now(), log: silentLog });
    expect(stored().map(({ metadata }) => metadata.name)).toEqual(['g0', 'g1', 'g2', 'g3', 'g4']);
  }
});
