import { type Pod, podCondition } from '@slipway/kube-objects/kinds/api/pods';
import type { Demand } from '../demand/demand.js';
import type { Filter } from '../filters/filter.js';
import { nodeName } from '../filters/node-name.js';
import { resourcesFit } from '../filters/resources-fit.js';
import { checksFor, firstObjection } from '../placement/judged-node.js';
import { selectVictims } from '../preemption/select-victims.js';
import type { ClusterView } from '../view/cluster-view.js';
import { withoutPod } from '../view/node-state.js';

/** What the scheduler does for a pod whose node has no room for the size it asks for (KEP-5836). */
export type ResizePlan =
  /** Nothing: there is room, so its kubelet will take the resize; or nothing that may be done helps. */
  | { readonly kind: 'rest' }
  /** The node forbids preemption for resizes. */
  | { readonly kind: 'forbidden' }
  | { readonly kind: 'preempt'; readonly victims: readonly Demand[] };

/** Whether a pod waits for room for its resize. */
export function isResizeDeferred(pod: Pod): boolean {
  const pending = podCondition(pod, 'PodResizePending');
  return pending?.status === 'True' && pending.reason === 'Deferred';
}

const filters: readonly Filter[] = [nodeName, resourcesFit];

/** Decides for a pod on a node. Only the room there counts: a resize moves no pod. */
export function planResize(demand: Demand, cluster: ClusterView): ResizePlan {
  const { spec } = demand.pod;
  const full = cluster.nodes.find(({ name }) => name === spec.nodeName);
  const own = full?.pods.find(({ uid }) => uid === demand.uid);
  if (!full || !own) return { kind: 'rest' };
  const judged = { state: withoutPod(full, own), checks: checksFor(demand, cluster, filters) };
  if (!firstObjection(judged)) return { kind: 'rest' };
  if (full.node.spec?.podPreemptionPolicy?.disableResizePreemption?.length) return { kind: 'forbidden' };
  if (spec.preemptionPolicy === 'Never') return { kind: 'rest' };
  const found = selectVictims(demand, judged, cluster);
  return 'victims' in found ? { kind: 'preempt', victims: found.victims } : { kind: 'rest' };
}

/** Names what a deferred resize waits for in the queue: room on its node, or another policy there. */
export const resizeRoom: Filter = {
  name: 'PodResize',
  prepare: () => undefined,
  helpedBy({ pod }, change) {
    if (change.kind === 'node') return change.after.name === pod.spec.nodeName;
    return change.kind === 'pod' && change.before !== undefined;
  },
};
