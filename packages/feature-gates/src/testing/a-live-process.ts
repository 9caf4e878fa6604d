import { createFeatureGate } from '../feature-gate.js';
import type { StartReportingOptions } from '../feature-gate-options.js';
import type { FeatureUseSpec } from '../uses/feature-use.js';
import type { FeatureVectorSpec } from '../uses/feature-vector.js';
import { FakeApi } from './fake-api.js';
import { StepClock } from './step-clock.js';

export const group = '/apis/features.slipway.dev/v1alpha1/namespaces/kube-system';

/** A process with gates that take published values, and an API that publishes some. */
export function aLiveProcess(overrides: Partial<StartReportingOptions> = {}) {
  const gate = createFeatureGate({ component: 'controller', version: '1.34', onWarning: () => {} });
  gate.add({
    Live: { stage: 'Beta', default: false },
    Needs: { stage: 'Beta', default: false },
    Fixed: { stage: 'GA', default: true, locked: true },
    Dead: { stage: 'Beta', default: false },
  });
  gate.addDependencies({ Needs: ['Live'] });
  gate.declareLive('Live', 'Needs', 'Fixed');
  const api = new FakeApi();
  api.objects.set('/api/v1/namespaces/kube-system', { metadata: { name: 'kube-system', uid: 'uid-1' } });
  const clock = new StepClock();
  const lines: string[] = [];
  const options: StartReportingOptions = {
    transport: api,
    namespace: 'kube-system',
    instance: 'c1',
    dynamicFeatures: ['*'],
    clock,
    random: () => 0.5,
    log: (line) => lines.push(line),
    ...overrides,
  };
  let epoch = 0;
  const publish = (name: string, value: boolean, more: object = {}) =>
    api.put(`${group}/features/${name.toLowerCase()}`, {
      spec: { gate: name },
      status: { published: { value, epoch: ++epoch, ...more } },
    });
  const use = () => (api.objects.get(`${group}/featureuses/controller.c1`) as { spec: FeatureUseSpec }).spec;
  const reported = (name: string) =>
    (api.objects.get(`${group}/featurevectors/${use().vector}`) as { spec: FeatureVectorSpec }).spec.gates.find(
      (entry) => entry.name === name,
    );
  return { gate, api, clock, lines, options, publish, use, reported };
}
