import { Controller, type KubeObject, type Reconciler } from '@slipway/kube';
import { nodes } from '../api/nodes.js';
import { refOf } from '../api/object-ref.js';
import { pods } from '../api/pods.js';
import { retryLostRaces } from '../lost-race.js';
import type { WorkloadDeps } from '../replica-set/replica-set-controller.js';
import { markDisrupted } from './disruption-target.js';
import { podsByNode } from './pods-by-node.js';

/** A node that is missing may be about to register: so long its pods are left alone. */
const quarantineMs = 40_000;

/** Removes pods whose node is gone: no kubelet will ever do it. */
export function podCollector(deps: WorkloadDeps): Controller {
  const { on } = podsByNode(deps);
  const nodeLister = deps.informers.informer(nodes).lister;
  const podsOnMissing = ({ metadata: { name = '' } }: KubeObject) =>
    nodeLister.get({ name }) ? [] : on(name).map(refOf);
  return new Controller({
    ...deps,
    name: 'pod-garbage-collector',
    for: pods,
    watches: [{ of: nodes, map: podsOnMissing }],
    workers: 2,
    reconcile: retryLostRaces(podCollectorReconciler(deps)),
  });
}

/** Looks at one pod. Asks the API server, not only its cache, before it takes a node for gone. */
export function podCollectorReconciler(deps: Omit<WorkloadDeps, 'log'>): Reconciler {
  const { kube } = deps;
  const podLister = podsByNode(deps).informer.lister;
  const nodeLister = deps.informers.informer(nodes).lister;
  const missingSince = new Map<string, number>();
  return async (ref, { signal }) => {
    const pod = podLister.get(ref);
    const name = pod?.spec.nodeName;
    if (!pod || !name) return;
    if (nodeLister.get({ name })) {
      missingSince.delete(name);
      return;
    }
    const nowMs = kube.clock.monotonicMs();
    const sinceMs = missingSince.get(name) ?? nowMs;
    missingSince.set(name, sinceMs);
    const waitMs = sinceMs + quarantineMs - nowMs;
    if (waitMs > 0) return { requeueAfterMs: waitMs };
    if (await kube.resource(nodes).find({ name }, signal)) return { requeueAfterMs: quarantineMs };

    const { uid = '' } = pod.metadata;
    await markDisrupted(kube, ref, uid, cause, signal);
    await kube.resource(pods).delete(ref, { gracePeriodSeconds: 0, preconditions: { uid }, signal });
    return;
  };
}

const cause = { reason: 'DeletionByPodGC', message: 'PodGC: node no longer exists', fails: true } as const;
