import {
  Controller,
  controllerOf,
  isControlledBy,
  type KubeObject,
  matchesSelector,
  type Reconciler,
  sameJson,
} from '@slipway/kube';
import { persistentVolumeClaims } from '../api/core.js';
import { refOf } from '../api/object-ref.js';
import { pods } from '../api/pods.js';
import { controllerRevisions, type StatefulSet, statefulSets } from '../api/workloads.js';
import { retryLostRaces } from '../lost-race.js';
import { indexByController, ownedOrOrphaned } from '../ownership/by-controller.js';
import { claim } from '../ownership/claim.js';
import { planClaims, selectsEverything } from '../ownership/plan-claims.js';
import { RecentWrites } from '../recent-writes.js';
import type { WorkloadDeps } from '../replica-set/replica-set-controller.js';
import { nextAvailableInMs } from '../replica-set/replica-set-status.js';
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
}

/** Keeps one pod per ordinal of each StatefulSet, and replaces them in order when its template changes. */
export function statefulSetController(deps: StatefulSetDeps): Controller {
  const { gate: _, ...rest } = deps;
  const sets = deps.informers.informer(statefulSets);
  const selectingOrphan = (object: KubeObject) =>
    controllerOf(object)
      ? []
      : sets.lister
          .list({ namespace: object.metadata.namespace })
          .filter((set) => matchesSelector(set.spec.selector, object.metadata.labels))
          .map(refOf);
  return new Controller({
    ...rest,
    name: 'statefulset-controller',
    for: statefulSets,
    owns: [pods],
    watches: [
      { of: pods, map: selectingOrphan },
      // Nothing follows from a revision; but it must be in the cache before history is looked at.
      { of: controllerRevisions, map: () => [] },
      { of: persistentVolumeClaims, map: () => [] },
    ],
    workers: 5,
    reconcile: retryLostRaces(statefulSetReconciler(deps)),
  });
}

/** Observes one StatefulSet with its pods and history, makes its next moves, records the outcome. */
export function statefulSetReconciler({ kube, informers, gate }: Omit<StatefulSetDeps, 'log'>): Reconciler {
  const podInformer = informers.informer(pods);
  const historyInformer = informers.informer(controllerRevisions);
  indexByController(podInformer);
  indexByController(historyInformer);
  const client = kube.resource(statefulSets);
  const podClient = kube.resource(pods);
  const historyClient = kube.resource(controllerRevisions);
  const recent = new RecentWrites(informers.informer(statefulSets), kube.clock);
  const recentPods = new RecentWrites(podInformer, kube.clock);
  const recentHistory = new RecentWrites(historyInformer, kube.clock);
  const recentClaims = new RecentWrites(informers.informer(persistentVolumeClaims), kube.clock);
  const candidates = (set: StatefulSet) =>
    recentPods.over(ownedOrOrphaned(podInformer, set), (pod) => isControlledBy(pod, set));
  const candidateHistory = (set: StatefulSet) =>
    recentHistory.over(ownedOrOrphaned(historyInformer, set), (revision) => isControlledBy(revision, set));

  return async (ref, { signal, now, events }) => {
    const set = recent.get(ref);
    if (!set) return;
    const { selector } = set.spec;
    if (selectsEverything(selector)) {
      const message = 'This StatefulSet is selecting all pods. A non-empty selector is required.';
      events.event(set, 'Warning', 'SelectingAll', message);
      return;
    }
    const podClaims = { owners: client, objects: podClient, recent: recentPods };
    const historyClaims = { owners: client, objects: historyClient, recent: recentHistory };
    const owned = await claim(podClaims, set, selector, candidates(set), signal);
    const past = await claim(historyClaims, set, selector, candidateHistory(set), signal);
    if (set.metadata.deletionTimestamp) return;

    const revisions = await keepHistory({ client: historyClient, recent: recentHistory, signal }, set, past);
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
    const claims = { client: kube.resource(persistentVolumeClaims), recent: recentClaims, events, signal };
    await keepClaims(claims, set, owned, actions);
    const failure = await changeSet({ podClient, recent: recentPods, events, signal }, set, revisions, actions);

    const after = planClaims(set, selector, candidates(set)).owned;
    const { collisionCount } = revisions;
    const names = { current: currentRevision, update: updateRevision, collisionCount };
    const status = statefulSetStatus(set, after, names, now());
    if (!sameJson(status, set.status)) {
      recent.wrote(await client.replaceStatus({ ...set, status }, { signal }));
    }
    if (failure) throw failure.error;
    const history = planClaims(set, selector, candidateHistory(set)).owned;
    const kept = { current: status.currentRevision ?? currentRevision, update: updateRevision, pods: after };
    for (const revision of expiredRevisions(set, history, kept)) {
      await historyClient.delete(refOf(revision), { preconditions: { uid: revision.metadata.uid ?? '' }, signal });
      recentHistory.deleted(revision);
    }
    const waitMs = nextAvailableInMs(after, set.spec.minReadySeconds ?? 0, now());
    return waitMs === undefined ? undefined : { requeueAfterMs: waitMs };
  };
}
