import { Controller, controllerOf, type KubeObject, type Reconciler, refOf, retryLostRaces } from '@slipway/kube';
import { pods } from '@slipway/kube-objects/kinds/api/pods';
import { deployments, replicaSets } from '@slipway/kube-objects/kinds/api/workloads';
import { indexByController, ownedBy } from '../ownership/by-controller.js';
import { OwnedObjects } from '../ownership/owned-objects.js';
import { selectingOwners } from '../ownership/selecting-owners.js';
import { selectsAllPods } from '../ownership/selects-all-pods.js';
import { RecordedClient } from '../workloads/recorded-client.js';
import type { WorkloadDeps } from '../workloads/workload-deps.js';
import { changeReplicaSets } from './change-replica-sets.js';
import { deploymentStatus } from './deployment-status.js';
import { planDeployment } from './plan-deployment.js';
import { deadlineInMs } from './progress.js';
import { generations, revisionAnnotation } from './revisions.js';

/**
 * Rolls Deployments out, by the replicas of their ReplicaSets.
 * @param countsTerminating whether the status says how many pods are about to go, which it does by default since 1.35
 */
export function deploymentController(deps: WorkloadDeps, countsTerminating: boolean): Controller {
  const all = deps.informers.informer(deployments);
  const sets = deps.informers.informer(replicaSets);
  /** With Recreate the end of the last old pod starts the new ones; no ReplicaSet changes then. */
  const waitingForPod = (pod: KubeObject) => {
    const { namespace } = pod.metadata;
    const set = sets.lister.get({ name: controllerOf(pod)?.name ?? '', namespace });
    const owner = set && all.lister.get({ name: controllerOf(set)?.name ?? '', namespace });
    return owner?.spec.strategy.type === 'Recreate' ? [refOf(owner)] : [];
  };
  return new Controller({
    ...deps,
    name: 'deployment-controller',
    for: deployments,
    owns: [replicaSets],
    watches: [
      { of: replicaSets, map: selectingOwners(deps.informers, deployments) },
      { of: pods, map: waitingForPod },
    ],
    workers: 5,
    reconcile: retryLostRaces(deploymentReconciler(deps, countsTerminating)),
  });
}

/** Observes one Deployment with its ReplicaSets, makes the next move of its rollout, records the outcome. */
function deploymentReconciler({ kube, informers }: Omit<WorkloadDeps, 'log'>, countsTerminating: boolean): Reconciler {
  const podInformer = informers.informer(pods);
  indexByController(podInformer);
  const all = new RecordedClient({ kube, informers }, deployments);
  const own = new OwnedObjects({ kube, informers }, deployments, replicaSets);

  return async (ref, { signal, now, events }) => {
    let deployment = all.get(ref);
    if (!deployment) return;
    const { selector } = deployment.spec;
    if (selectsAllPods(deployment, 'deployment', events)) return;
    const owned = await own.claim(deployment, selector, signal);
    const found = generations(deployment, owned);
    const podsOfSets = owned.flatMap((set) => ownedBy(podInformer, set.metadata.uid ?? ''));

    const plan = deployment.metadata.deletionTimestamp
      ? { actions: [], revision: undefined }
      : planDeployment(deployment, found, podsOfSets);
    const writing = { objects: own.objects, events, signal };
    const made = await changeReplicaSets(writing, deployment, plan.actions);
    if (made?.kind === 'collision') {
      const collisionCount = (deployment.status?.collisionCount ?? 0) + 1;
      const status = { ...deployment.status, collisionCount };
      await all.replaceStatus(deployment, status, signal);
      return { requeueAfterMs: 1 };
    }
    const revision = plan.revision?.toString();
    if (revision !== undefined && deployment.metadata.annotations?.[revisionAnnotation] !== revision) {
      const { resourceVersion } = deployment.metadata;
      const metadata = { resourceVersion, annotations: { [revisionAnnotation]: revision } };
      deployment = await all.merge(ref, { metadata }, signal);
    }

    const after = generations(deployment, own.known(deployment, selector));
    const milestone = made ?? (found.current && { kind: 'found' as const, name: found.current.metadata.name ?? '' });
    const status = deploymentStatus(deployment, after, milestone, now(), countsTerminating);
    deployment = await all.replaceStatus(deployment, status, signal);
    if (made?.kind === 'create-failed') throw made.error;
    const waitMs = deadlineInMs(deployment, status, now());
    return waitMs === undefined ? undefined : { requeueAfterMs: waitMs };
  };
}
