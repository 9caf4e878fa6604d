import { createFeatureGate } from '@slipway/feature-gates';
import { Kube } from '@slipway/kube';
import type { RunningCluster } from './slipway.js';

/** A process of a third party that takes a gate from the API and reports what it runs, until disposed. */
export async function reportingProcess(
  cluster: RunningCluster,
  gate: string,
  namespace: string,
): Promise<AsyncDisposable> {
  const kube = await Kube.connect({ kubeconfig: cluster.kubeconfig });
  const own = createFeatureGate({ component: 'acme-operator', version: '1.0' });
  own.add({ [gate]: [{ version: '1.0', stage: 'Alpha', default: false }] });
  own.declareLive(gate);
  return own.startReporting({
    transport: kube.transport,
    namespace,
    instance: gate.toLowerCase(),
    startWithinMs: 0,
    dynamicFeatures: ['*'],
    log: () => {},
  });
}
