import { Controller, type Reconciler, retryLostRaces } from '@slipway/kube';
import { pods } from '@slipway/kube-objects/kinds/api/pods';
import { persistentVolumeClaims } from '@slipway/kube-objects/kinds/api/volumes';
import { controllerRevisions, statefulSets } from '@slipway/kube-objects/kinds/api/workloads';
import { OwnedObjects } from '../ownership/owned-objects.js';
import { selectingOwners } from '../ownership/selecting-owners.js';
import { selectsAllPods } from '../ownership/selects-all-pods.js';
import { nextAvailableInMs } from '../replica-set/replica-set-status.js';
import { RecordedClient } from '../workloads/recorded-client.js';
import type { WorkloadDeps } from '../workloads/workload-deps.js';
import { changeSet } from './change-set.js';
import { keepClaims } from './keep-claims.js';
import { keepHistory } from './keep-history.js';
import { type GateReader, maxUnavailableOf } from './max-unavailable.js';
import { planStatefulSet } from './plan-stateful-set.js';
import { expiredRevisions } from './revisions.js';
import { statefulSetStatus } from './stateful-set-status.js';

/** What the StatefulSet controller needs besides. The gate is asked on every look. */
export interface StatefulSetDeps extends WorkloadDeps {
  readonly gate: GateReader;
  /** Whether an update also completes with the strategy OnDelete, as since 1.37. */
  readonly completesOnDelete: boolean;
}

/** Keeps one pod per ordinal of each StatefulSet, and replaces them in order when its template changes. */
export function statefulSetController(deps: StatefulSetDeps): Controller {
  const { gate: _, completesOnDelete: __, ...rest } = deps;
  return new Controller({
    ...rest,
    name: 'statefulset-controller',
    for: statefulSets,
    owns: [pods],
    watches: [
      { of: pods, map: selectingOwners(deps.informers, statefulSets) },
      // Nothing follows from a revision; but it must be in the cache before history is looked at.
      { of: controllerRevisions, map: () => [] },
      { of: persistentVolumeClaims, map: () => [] },
    ],
    workers: 5,
    reconcile: retryLostRaces(statefulSetReconciler(deps)),
  });
}

/** Observes one StatefulSet with its pods and history, makes its next moves, records the outcome. */
function statefulSetReconciler({ kube, informers, gate, completesOnDelete }: Omit<StatefulSetDeps, 'log'>): Reconciler {
  const all = new RecordedClient({ kube, informers }, statefulSets);
  const ownPods = new OwnedObjects({ kube, informers }, statefulSets, pods);
  const ownHistory = new OwnedObjects({ kube, informers }, statefulSets, controllerRevisions);
  const claims = new RecordedClient({ kube, informers }, persistentVolumeClaims);

  return async (ref, { signal, now, events }) => {
    const set = all.get(ref);
    if (!set) return;
    const { selector } = set.spec;
    if (selectsAllPods(set, 'StatefulSet', events)) return;
    const owned = await ownPods.claim(set, selector, signal);
    const past = await ownHistory.claim(set, selector, signal);
    if (set.metadata.deletionTimestamp) return;

    const revisions = await keepHistory({ objects: ownHistory.objects, signal }, set, past);
    const currentRevision = revisions.current.metadata.name ?? '';
    const updateRevision = revisions.update.metadata.name ?? '';
    const actions = planStatefulSet({
      set,
      pods: owned,
      currentRevision,
      updateRevision,
      maxUnavailable: maxUnavailableOf(set, gate),
      nowMs: now(),
    });
    await keepClaims({ objects: claims, events, signal }, set, owned, actions);
    const writing = { objects: ownPods.objects, events, signal };
    const failure = await changeSet(writing, set, revisions, actions);

    const after = ownPods.known(set, selector);
    const { collisionCount } = revisions;
    const names = { current: currentRevision, update: updateRevision, collisionCount };
    const status = statefulSetStatus(set, after, names, now(), completesOnDelete);
    await all.replaceStatus(set, status, signal);
    if (failure) throw failure.error;
    const history = ownHistory.known(set, selector);
    const kept = { current: status.currentRevision ?? currentRevision, update: updateRevision, pods: after };
    for (const revision of expiredRevisions(set, history, kept)) {
      await ownHistory.objects.delete(revision, { signal });
    }
    const waitMs = nextAvailableInMs(after, set.spec.minReadySeconds ?? 0, now());
    return waitMs === undefined ? undefined : { requeueAfterMs: waitMs };
  };
}
