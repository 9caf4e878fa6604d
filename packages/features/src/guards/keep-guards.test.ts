import { InformerFactory, silentLog } from '@slipway/kube';
import { expect, test } from 'vitest';
import { ValidatingBinding, ValidatingPolicy } from '../api/admission-kinds.js';
import { Feature } from '../api/feature.js';
import { apiVersion, group } from '../api/group.js';
import { aCluster } from '../testing/a-cluster.js';
import { aDefinition } from '../testing/a-situation.js';
import { guardsOf } from './guard-policy.js';
import { keepGuards } from './keep-guards.js';

const aFeature = (name: string): Feature => ({
  apiVersion,
  kind: 'Feature',
  metadata: { name, namespace: 'acme' },
  spec: { gate: name },
});

test('keepGuards() takes away the guards of features that are gone, at the start and later', async () => {
  const { api, kube, until } = aCluster({ guards: true });
  for (const name of ['stays', 'goes', 'went']) {
    const { guards } = guardsOf(aFeature(name), aDefinition, { validating: true });
    for (const { policy, binding } of guards) {
      api.seed(ValidatingPolicy, policy);
      api.seed(ValidatingBinding, binding);
    }
    if (name !== 'went') api.seed({ group, plural: 'features' }, aFeature(name));
  }
  const informers = new InformerFactory(kube, { log: silentLog });
  const features = informers.informer(Feature);
  informers.start();
  const stopping = new AbortController();
  const running = keepGuards({ kube, features, log: silentLog }).start(stopping.signal);
  const guarded = () =>
    [ValidatingPolicy, ValidatingBinding].map((kind) =>
      api
        .stored(kind)
        .map(({ metadata }) => metadata.labels?.[`${group}/guard`])
        .join(' '),
    );
  await until(() => guarded().join() === 'stays goes,stays goes');
  await kube.resource(Feature).delete({ name: 'goes', namespace: 'acme' });
  await until(() => guarded().join() === 'stays,stays');
  stopping.abort();
  await running;
  await informers.stop();
  expect(guarded()).toEqual(['stays', 'stays']);
});
