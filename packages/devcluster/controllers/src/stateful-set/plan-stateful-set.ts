import { isAvailable, isFinished, isReady, isTerminating, type Pod } from '@slipway/kube-objects/kinds/api/pods';
import type { StatefulSet } from '@slipway/kube-objects/kinds/api/workloads';
import { firstOrdinal, ordinalOf, revisionOfPod, wantedOrdinals } from './identity.js';

/** What is known when a StatefulSet decides. */
export interface Observed {
  readonly set: StatefulSet;
  /** Every pod the set controls, terminating ones included. */
  readonly pods: readonly Pod[];
  /** Name of the revision that pods below the partition keep. */
  readonly currentRevision: string;
  /** Name of the revision that the set's template is. */
  readonly updateRevision: string;
  /** How many pods a rolling update may take away at once; at least 1. */
  readonly maxUnavailable: number;
  readonly nowMs: number;
}

/** One thing to do about one pod. */
export type Action =
  | { readonly kind: 'create'; readonly ordinal: number; readonly revision: string }
  | { readonly kind: 'delete'; readonly pod: Pod; readonly why: 'finished' | 'scaled-down' | 'outdated' };

/**
 * The next moves of a StatefulSet.
 *
 * First its invariants: every wanted ordinal has a pod, no other has. With
 * `OrderedReady` one pod at a time, upwards, each only after those before it are available;
 * then downwards for ordinals that are not wanted. Only when these hold does a
 * rolling update replace pods. A pod is never created before its predecessor of the
 * same name is gone from the API, so no ordinal ever runs twice.
 */
export function planStatefulSet(observed: Observed): readonly Action[] {
  const { set } = observed;
  if (set.metadata.deletionTimestamp) return [];
  const slots = slotsOf(observed);
  const condemned = condemnedOf(set, observed.pods);
  if (set.spec.podManagementPolicy === 'Parallel') {
    return [
      ...slots.flatMap((slot) => fill(slot, observed)),
      ...condemned.filter((pod) => !isTerminating(pod)).map(scaledDown),
      ...planUpdate(slots, observed),
    ];
  }
  for (const slot of slots) {
    const actions = fill(slot, observed);
    if (actions.length > 0 || !isServing(slot.pod, observed)) return actions;
  }
  return condemned.length > 0 ? takeDown(condemned, observed) : planUpdate(slots, observed);
}

interface Slot {
  readonly ordinal: number;
  readonly pod: Pod | undefined;
}

function slotsOf({ set, pods }: Observed): readonly Slot[] {
  const byOrdinal = new Map(pods.map((pod) => [ordinalOf(set, pod), pod]));
  return wantedOrdinals(set).map((ordinal) => ({ ordinal, pod: byOrdinal.get(ordinal) }));
}

/** Pods whose ordinal is not wanted, highest first. */
function condemnedOf(set: StatefulSet, pods: readonly Pod[]): readonly Pod[] {
  const first = firstOrdinal(set);
  return pods
    .map((pod) => ({ pod, ordinal: ordinalOf(set, pod) ?? -1 }))
    .filter(({ ordinal }) => ordinal >= 0 && (ordinal < first || ordinal >= first + set.spec.replicas))
    .sort((a, b) => b.ordinal - a.ordinal)
    .map(({ pod }) => pod);
}

function fill({ ordinal, pod }: Slot, observed: Observed): readonly Action[] {
  if (!pod) return [{ kind: 'create', ordinal, revision: revisionFor(ordinal, observed) }];
  if (isFinished(pod) && !isTerminating(pod)) return [{ kind: 'delete', pod, why: 'finished' }];
  return [];
}

/** Ordinals below the partition keep the current revision, also when their pod is made anew. */
function revisionFor(ordinal: number, { set, currentRevision, updateRevision }: Observed): string {
  const { type, rollingUpdate } = set.spec.updateStrategy ?? {};
  const keepsCurrent = type !== 'OnDelete' && ordinal < firstOrdinal(set) + (rollingUpdate?.partition ?? 0);
  return keepsCurrent ? currentRevision : updateRevision;
}

function scaledDown(pod: Pod): Action {
  return { kind: 'delete', pod, why: 'scaled-down' };
}

/** One at a time, and not while another condemned pod is still going; an unhealthy one may go only if it is the next. */
function takeDown(condemned: readonly Pod[], observed: Observed): readonly Action[] {
  const [highest] = condemned;
  if (!highest || condemned.some(isTerminating)) return [];
  const lowestUnhealthy = [...condemned].reverse().find((pod) => !isServing(pod, observed));
  return isServing(highest, observed) || highest === lowestUnhealthy ? [scaledDown(highest)] : [];
}

/**
 * Replaces outdated pods from the highest ordinal down to the partition. Those that do not serve
 * cost nothing; of the others only as many as leave no more than `maxUnavailable` missing.
 */
function planUpdate(slots: readonly Slot[], observed: Observed): readonly Action[] {
  const { set, updateRevision, maxUnavailable } = observed;
  const { type, rollingUpdate } = set.spec.updateStrategy ?? {};
  if (type === 'OnDelete') return [];
  const missing = slots.filter(({ pod }) => !isServing(pod, observed)).length;
  const outdated = slots
    .slice(Math.min(rollingUpdate?.partition ?? 0, slots.length))
    .reverse()
    .flatMap(({ pod }) => (pod && !isTerminating(pod) && revisionOfPod(pod) !== updateRevision ? [pod] : []));
  const idle = outdated.filter((pod) => !isServing(pod, observed) && !isFinished(pod));
  const serving = outdated.filter((pod) => isServing(pod, observed)).slice(0, Math.max(0, maxUnavailable - missing));
  return [...idle, ...serving].map((pod) => ({ kind: 'delete' as const, pod, why: 'outdated' as const }));
}

function isServing(pod: Pod | undefined, { set, nowMs }: Observed): boolean {
  if (!pod || isTerminating(pod) || isFinished(pod) || !isReady(pod)) return false;
  return pod.status?.phase === 'Running' && isAvailable(pod, set.spec.minReadySeconds ?? 0, nowMs);
}
