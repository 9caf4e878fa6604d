import { isActive, isReady, type Pod, podCondition } from '@slipway/kube-objects/kinds/api/pods';

/** How a ReplicaSet gets to its number of replicas. */
export interface ReplicaPlan {
  /** How many pods to create. */
  readonly create: number;
  /** Which pods to delete. */
  readonly remove: readonly Pod[];
}

/** No more than this many pods are created or deleted in one go. */
const burst = 500;

/** Compares the active ones of `owned` with the number wanted. Never creates and removes at once. */
export function planReplicas(wanted: number, owned: readonly Pod[], nowMs: number): ReplicaPlan {
  const active = owned.filter(isActive);
  const surplus = active.length - wanted;
  if (surplus < 0) return { create: Math.min(-surplus, burst), remove: [] };
  if (surplus === 0) return { create: 0, remove: [] };
  return { create: 0, remove: leastMissedFirst(active, nowMs).slice(0, Math.min(surplus, burst)) };
}

/**
 * Orders pods by how little they would be missed: not yet on a node, not running,
 * not ready, cheapest by `controller.kubernetes.io/pod-deletion-cost`, on a node
 * with many of their kind, ready for a shorter time, restarted more often, younger.
 */
export function leastMissedFirst(pods: readonly Pod[], nowMs: number): Pod[] {
  const neighbours = new Map<string, number>();
  for (const pod of pods) {
    const node = pod.spec.nodeName ?? '';
    neighbours.set(node, (neighbours.get(node) ?? 0) + 1);
  }
  const merits = (pod: Pod): readonly number[] => [
    pod.spec.nodeName ? 1 : 0,
    phases.indexOf(pod.status?.phase ?? 'Pending'),
    isReady(pod) ? 1 : 0,
    deletionCost(pod),
    -(neighbours.get(pod.spec.nodeName ?? '') ?? 0),
    ageStep(podCondition(pod, 'Ready')?.lastTransitionTime, nowMs),
    -Math.max(0, ...(pod.status?.containerStatuses ?? []).map((container) => container.restartCount)),
    ageStep(pod.metadata.creationTimestamp, nowMs),
  ];
  return pods
    .map((pod) => ({ pod, merits: merits(pod) }))
    .sort(
      (a, b) =>
        firstDifference(a.merits, b.merits) || ((a.pod.metadata.uid ?? '') < (b.pod.metadata.uid ?? '') ? -1 : 1),
    )
    .map(({ pod }) => pod);
}

const phases = ['Pending', 'Unknown', 'Running'];

function deletionCost(pod: Pod): number {
  const cost = Number(pod.metadata.annotations?.['controller.kubernetes.io/pod-deletion-cost'] ?? 0);
  return Number.isInteger(cost) ? cost : 0;
}

/** Ages of the same order of magnitude count as equal, so that the oldest pods do not always survive. */
function ageStep(since: string | null | undefined, nowMs: number): number {
  if (!since) return -1;
  const seconds = Math.floor((nowMs - Date.parse(since)) / 1000);
  return seconds < 1 ? 0 : Math.floor(Math.log2(seconds)) + 1;
}

function firstDifference(a: readonly number[], b: readonly number[]): number {
  for (let index = 0; index < a.length; index++) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
