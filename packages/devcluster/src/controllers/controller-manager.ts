import type { FeatureGate } from '@slipway/feature-gates';
import { type Kube, type Logger, Manager } from '@slipway/kube';
import { refOf } from './api/object-ref.js';
import { statefulSets } from './api/workloads.js';
import { daemonSetController } from './daemon-set/daemon-set-controller.js';
import { deploymentController } from './deployment/deployment-controller.js';
import { disruptionController } from './disruption/disruption-controller.js';
import { GarbageCollector } from './garbage-collection/garbage-collector.js';
import { jobController } from './job/job-controller.js';
import { namespaceController } from './namespace/namespace-controller.js';
import { nodeLifecycleController } from './node-lifecycle/node-lifecycle-controller.js';
import { podCollector } from './node-lifecycle/pod-collector.js';
import { taintEvictionController } from './node-lifecycle/taint-eviction-controller.js';
import { replicaSetController } from './replica-set/replica-set-controller.js';
import { serviceAccountController } from './service-account-controller.js';
import { maxUnavailableGate } from './stateful-set/max-unavailable.js';
import { statefulSetController } from './stateful-set/stateful-set-controller.js';

const lookAgainMs = 50;

export interface ControllerManagerOptions {
  readonly kube: Kube;
  readonly log: Logger;
  /** Read live by the controllers that it concerns. */
  readonly gate: FeatureGate;
  /** Certificate of the authority that signed the API server's, in PEM. */
  readonly caCertificate: string;
}

/** Every controller of the cluster, ready to start: one run of kube-controller-manager. */
export function controllerManager({ kube, log, gate, caCertificate }: ControllerManagerOptions): Manager {
  const manager = new Manager({ kube, log });
  const deps = { kube, log, informers: manager.informers };
  const sets = statefulSetController({ ...deps, gate });
  for (const member of [
    namespaceController(deps),
    serviceAccountController({ ...deps, caCertificate }),
    replicaSetController(deps),
    deploymentController(deps),
    daemonSetController(deps),
    disruptionController(deps),
    jobController(deps),
    sets,
    new GarbageCollector(deps),
    nodeLifecycleController(deps),
    taintEvictionController(deps),
    podCollector(deps),
  ]) {
    manager.add(member);
  }
  // A rolling update under way goes on by the new value, not only when something else happens. The value counts
  // once this returned, hence the delay.
  gate.onChange(maxUnavailableGate, () => {
    for (const set of manager.informers.informer(statefulSets).lister.list()) sets.enqueue(refOf(set), lookAgainMs);
  });
  return manager;
}
