import { Controller, type LabelSelector, type Reconciler, type ResourceRef, retryLostRaces } from '@slipway/kube';
import { pods } from '@slipway/kube-objects/kinds/api/pods';
import {
  type ReplicaSet,
  type Replicated,
  replicaSets,
  replicationControllers,
} from '@slipway/kube-objects/kinds/api/workloads';
import { OwnedObjects } from '../ownership/owned-objects.js';
import { ownersSelecting } from '../ownership/selecting-owners.js';
import { RecordedClient } from '../workloads/recorded-client.js';
import { restAfterMs } from '../workloads/rest-after.js';
import type { WorkloadDeps } from '../workloads/workload-deps.js';
import { changePods } from './change-pods.js';
import { planReplicas } from './plan-replicas.js';
import { nextAvailableInMs, replicaSetStatus } from './replica-set-status.js';

/**
 * Keeps as many pods as each ReplicaSet asks for.
 * @param countsTerminating whether the status says how many pods are about to go, which it does by default since 1.35
 */
export function replicaSetController(deps: WorkloadDeps, countsTerminating: boolean): Controller {
  return replicasController(deps, 'replicaset-controller', { ...ofReplicaSets, countsTerminating });
}

/** Keeps as many pods as each ReplicationController asks for. */
export function replicationController(deps: WorkloadDeps): Controller {
  return replicasController(deps, 'replication-controller', {
    resource: replicationControllers,
    selectorOf: ({ spec }) => ({ matchLabels: spec.selector }),
  });
}

/** A kind that keeps a number of pods alike, and which pods an object of it means. */
interface ReplicatedKind<T extends Replicated> {
  readonly resource: ResourceRef<T>;
  readonly selectorOf: (object: T) => LabelSelector;
  readonly countsTerminating?: boolean;
}

const ofReplicaSets: ReplicatedKind<ReplicaSet> = { resource: replicaSets, selectorOf: ({ spec }) => spec.selector };

function replicasController<T extends Replicated>(
  deps: WorkloadDeps,
  name: string,
  kind: ReplicatedKind<T>,
): Controller {
  return new Controller({
    ...deps,
    name,
    for: kind.resource,
    owns: [pods],
    watches: [{ of: pods, map: ownersSelecting(deps.informers, kind.resource, kind.selectorOf) }],
    workers: 5,
    reconcile: retryLostRaces(replicatedReconciler(deps, kind)),
  });
}

/** Observes one object and its pods, moves the number of pods towards the one wanted, records the outcome. */
function replicatedReconciler<T extends Replicated>(
  { kube, informers }: Omit<WorkloadDeps, 'log'>,
  { resource, selectorOf, countsTerminating }: ReplicatedKind<T>,
): Reconciler {
  const all = new RecordedClient({ kube, informers }, resource);
  const own = new OwnedObjects({ kube, informers }, resource, pods);

  return async (ref, { signal, now, events }) => {
    const set = all.get(ref);
    if (!set) return;
    const selector = selectorOf(set);
    const owned = await own.claim(set, selector, signal);

    const plan = set.metadata.deletionTimestamp
      ? { create: 0, remove: [] }
      : planReplicas(set.spec.replicas, owned, now());
    const failed = await changePods({ objects: own.objects, events, signal }, set, plan);

    const isChanged = plan.create + plan.remove.length > 0;
    const after = isChanged ? own.known(set, selector) : owned;
    const status = replicaSetStatus(set, after, failed?.failure, now(), countsTerminating);
    await all.replaceStatus(set, status, signal);
    if (failed) throw failed.error;
    return {
      requeueAfterMs: nextAvailableInMs(after, set.spec.minReadySeconds ?? 0, now()),
      restMs: isChanged ? 0 : restAfterMs(after.length),
    };
  };
}
