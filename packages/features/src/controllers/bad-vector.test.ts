import { vectorName } from '@slipway/feature-gates';
import { expect, test } from 'vitest';
import { apiVersion } from '../api/group.js';
import { aCluster } from '../testing/a-cluster.js';
import { serve } from '../testing/serve.js';

test('a vector that is not what its name says is told of, and makes no feature', async () => {
  const cluster = aCluster();
  const specWith = (gate: string) => ({
    component: 'agent',
    binaryVersion: '1',
    gates: [{ name: gate, enabled: true }],
  });
  const vector = (name: string, gate: string) => ({
    apiVersion,
    kind: 'FeatureVector',
    metadata: { name, namespace: 'acme' },
    spec: specWith(gate),
  });
  cluster.api.seed(
    { group: 'features.slipway.dev', plural: 'featurevectors' },
    vector('v-00000000000000000000000000000000', 'Forged'),
    vector(vectorName(specWith('Honest')), 'Honest'),
  );
  const stop = serve(cluster.client());
  const events = () => cluster.api.stored({ group: '', plural: 'events' }).map(({ reason }) => reason);
  await cluster.until(() => events().includes('BadVector') && cluster.feature('honest', 'acme') !== undefined);
  expect(cluster.feature('forged', 'acme')).toBeUndefined();
  await stop();
});
