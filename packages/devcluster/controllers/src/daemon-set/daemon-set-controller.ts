import { Controller, type Reconciler, refOf, retryLostRaces } from '@slipway/kube';
import { type DaemonSet, daemonSets } from '@slipway/kube-objects/kinds/api/daemon-sets';
import { nodes } from '@slipway/kube-objects/kinds/api/nodes';
import { type Pod, pods } from '@slipway/kube-objects/kinds/api/pods';
import { type ControllerRevision, controllerRevisions } from '@slipway/kube-objects/kinds/api/workloads';
import { OwnedObjects } from '../ownership/owned-objects.js';
import { selectingOwners } from '../ownership/selecting-owners.js';
import { selectsAllPods } from '../ownership/selects-all-pods.js';
import { nextAvailableInMs } from '../replica-set/replica-set-status.js';
import { keepHistory } from '../stateful-set/keep-history.js';
import { RecordedClient } from '../workloads/recorded-client.js';
import { restAfterMs } from '../workloads/rest-after.js';
import type { WorkloadDeps } from '../workloads/workload-deps.js';
import { changePods } from './change-pods.js';
import { hashLabel } from './daemon-pod.js';
import { daemonSetStatus } from './daemon-set-status.js';
import { FailedPods } from './failed-pods.js';
import { planDaemonSet } from './plan-daemon-set.js';

/** Keeps one pod of each DaemonSet on every node that it is for, and replaces them when its template changes. */
export function daemonSetController(deps: WorkloadDeps): Controller {
  const sets = deps.informers.informer(daemonSets);
  return new Controller({
    ...deps,
    name: 'daemonset-controller',
    for: daemonSets,
    owns: [pods],
    watches: [
      { of: pods, map: selectingOwners(deps.informers, daemonSets) },
      { of: nodes, map: () => sets.lister.list().map(refOf) },
      // Nothing follows from a revision; but it must be in the cache before history is looked at.
      { of: controllerRevisions, map: () => [] },
    ],
    workers: 5,
    reconcile: retryLostRaces(daemonSetReconciler(deps)),
  });
}

/** Observes one DaemonSet with its pods, the nodes and its history, makes its next moves, records the outcome. */
function daemonSetReconciler({ kube, informers }: Omit<WorkloadDeps, 'log'>): Reconciler {
  const nodeInformer = informers.informer(nodes);
  const all = new RecordedClient({ kube, informers }, daemonSets);
  const ownPods = new OwnedObjects({ kube, informers }, daemonSets, pods);
  const ownHistory = new OwnedObjects({ kube, informers }, daemonSets, controllerRevisions);
  const failedPods = new FailedPods(kube.clock);

  return async (ref, { signal, now, events }) => {
    const set = all.get(ref);
    if (!set) return;
    const { selector, minReadySeconds = 0 } = set.spec;
    if (selectsAllPods(set, 'daemon set', events)) return;
    const owned = await ownPods.claim(set, selector, signal);
    const past = await ownHistory.claim(set, selector, signal);
    if (set.metadata.deletionTimestamp) return;

    const history = { objects: ownHistory.objects, signal, hashLabel };
    const { update, collisionCount } = await keepHistory(history, set, past);
    const hash = hashOf(update);
    const observe = (own: readonly Pod[]) => ({
      set,
      nodes: nodeInformer.lister.list(),
      pods: own,
      hash,
      nowMs: now(),
    });
    const actions = planDaemonSet(observe(owned));
    const writing = { objects: ownPods.objects, events, failedPods, signal };
    const changed = await changePods(writing, set, hash, actions);

    const after = actions.length > 0 ? ownPods.known(set, selector) : owned;
    const status = daemonSetStatus(observe(after), collisionCount);
    await all.replaceStatus(set, status, signal);
    if (changed.error !== undefined) throw changed.error;
    for (const revision of expiredRevisions(set, ownHistory.known(set, selector), update, after)) {
      await ownHistory.objects.delete(revision, { signal });
    }
    const waits = [changed.waitMs, nextAvailableInMs(after, minReadySeconds, now())].filter((ms) => ms !== undefined);
    return {
      requeueAfterMs: waits.length > 0 ? Math.min(...waits) : undefined,
      restMs: actions.length > 0 ? 0 : restAfterMs(after.length + nodeInformer.lister.list().length),
    };
  };
}

function hashOf(revision: ControllerRevision): string {
  return revision.metadata.labels?.[hashLabel] ?? '';
}

/** Revisions beyond the history kept that no pod was made from, oldest first. */
function expiredRevisions(
  set: DaemonSet,
  history: readonly ControllerRevision[],
  update: ControllerRevision,
  own: readonly Pod[],
): readonly ControllerRevision[] {
  const live = new Set([hashOf(update), ...own.map((pod) => pod.metadata.labels?.[hashLabel])]);
  const idle = history.filter((revision) => !live.has(hashOf(revision)) && !revision.metadata.deletionTimestamp);
  const tooMany = Math.max(0, idle.length - (set.spec.revisionHistoryLimit ?? 10));
  return [...idle].sort((a, b) => a.revision - b.revision).slice(0, tooMany);
}
