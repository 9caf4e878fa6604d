import { Controller, type KubeObject, type Reconciler, refOf, retryLostRaces } from '@slipway/kube';
import { type Node, nodes } from '@slipway/kube-objects/kinds/api/nodes';
import { isTerminating, pods } from '@slipway/kube-objects/kinds/api/pods';
import { markDisrupted } from '@slipway/kube-objects/rules/disruption-target';
import type { WorkloadDeps } from '../workloads/workload-deps.js';
import { bearableMs } from './eviction-moment.js';
import { podsByNode } from './pods-by-node.js';

/**
 * A pod that comes to a node whose taint is known already is left there so long: who placed it has not heard of the taint,
 * and who replaces it would have it placed there again, as fast as all of them can.
 */
const lateMs = 1_000;

/** Deletes pods from nodes with a NoExecute taint, at once or after as long as they tolerate it. */
export function taintEvictionController(deps: WorkloadDeps): Controller {
  const { on } = podsByNode(deps);
  const podsOnTainted = (node: KubeObject) =>
    noExecuteTaints(node as Node).length > 0 ? on(node.metadata.name ?? '').map(refOf) : [];
  return new Controller({
    ...deps,
    name: 'taint-eviction-controller',
    for: pods,
    watches: [{ of: nodes, map: podsOnTainted }],
    workers: 4,
    reconcile: retryLostRaces(taintEvictionReconciler(deps)),
  });
}

interface Bearing {
  readonly uid: string;
  /** Monotonic; what the taint says of its age is another clock's word. */
  readonly sinceMs: number;
}

/**
 * Decides for one pod. How long it has borne taints is counted from when this process first saw it do so,
 * through changes of the taints, until none is left.
 */
function taintEvictionReconciler(deps: Omit<WorkloadDeps, 'log'>): Reconciler {
  const { kube } = deps;
  const podInformer = podsByNode(deps).informer;
  const podLister = podInformer.lister;
  const nodeLister = deps.informers.informer(nodes).lister;
  const bearing = new Map<string, Bearing>();
  /** UIDs of pods that came to a node which was tainted. */
  const late = new Set<string>();
  podInformer.onChange(({ type, object, previous }) => {
    const { uid = '' } = object.metadata;
    const { nodeName } = object.spec;
    if (type === 'deleted') late.delete(uid);
    else if (nodeName && !previous?.spec.nodeName && noExecuteTaints(nodeLister.get({ name: nodeName })).length > 0) {
      late.add(uid);
    }
  });
  return async (ref, { signal, events }) => {
    const key = `${ref.namespace}/${ref.name}`;
    const pod = podLister.get(ref);
    const node = pod?.spec.nodeName ? nodeLister.get({ name: pod.spec.nodeName }) : undefined;
    const taints = noExecuteTaints(node);
    if (!pod || isTerminating(pod) || taints.length === 0) {
      const isSpared = bearing.delete(key) && pod && !isTerminating(pod);
      if (isSpared) events.event(pod, 'Normal', 'TaintManagerEviction', `Cancelling deletion of Pod ${key}`);
      return;
    }
    const { uid = '' } = pod.metadata;
    const leftMs = bearableMs(taints, pod.spec.tolerations ?? []);
    if (leftMs === Number.POSITIVE_INFINITY) {
      bearing.delete(key);
      return;
    }
    const nowMs = kube.clock.monotonicMs();
    const known = bearing.get(key);
    const sinceMs = known?.uid === uid ? known.sinceMs : nowMs;
    bearing.set(key, { uid, sinceMs });
    const waitMs = sinceMs + Math.max(leftMs, late.has(uid) ? lateMs : 0) - nowMs;
    if (waitMs > 0) return { requeueAfterMs: waitMs };

    events.event(pod, 'Normal', 'TaintManagerEviction', `Marking for deletion Pod ${key}`);
    await markDisrupted(kube, ref, uid, cause, signal);
    await kube.resource(pods).delete(ref, { preconditions: { uid }, signal });
    bearing.delete(key);
    return;
  };
}

const cause = {
  reason: 'DeletionByTaintManager',
  message: 'Taint manager: deleting due to NoExecute taint',
  fails: false,
} as const;

function noExecuteTaints(node: Node | undefined) {
  return node?.spec?.taints?.filter(({ effect }) => effect === 'NoExecute') ?? [];
}
