import type { DaemonSet } from '@slipway/kube-objects/kinds/api/daemon-sets';
import type { Node } from '@slipway/kube-objects/kinds/api/nodes';
import { isAvailable, isFinished, isReady, isTerminating, type Pod } from '@slipway/kube-objects/kinds/api/pods';
import { roundedUp } from '../workloads/int-or-percent.js';
import { isUpdated, targetNode } from './daemon-pod.js';
import { type Eligibility, eligibility } from './eligibility.js';

/** What is known when a DaemonSet decides. */
export interface Observed {
  readonly set: DaemonSet;
  readonly nodes: readonly Node[];
  /** Every pod the set controls, terminating ones included. */
  readonly pods: readonly Pod[];
  /** Hash of the set's template. */
  readonly hash: string;
  readonly nowMs: number;
}

/** One thing to do about one node. */
export type Action =
  | { readonly kind: 'create'; readonly nodeName: string }
  | { readonly kind: 'delete'; readonly nodeName: string; readonly pod: Pod; readonly why: Why };

/** Why a pod has to go. A failed one may have to wait, lest it fails again at once. */
export type Why = 'failed' | 'succeeded' | 'surplus' | 'misplaced' | 'outdated';

/** One node of the cluster and the set's pods there, oldest first. */
export interface NodePods {
  readonly nodeName: string;
  readonly eligibility: Eligibility;
  readonly pods: readonly Pod[];
}

/**
 * The next moves of a DaemonSet.
 *
 * First its invariants: one pod on each node that should run one, none on others. Then a rolling
 * update replaces outdated pods. Without surge a pod goes before its successor comes,
 * and no more nodes are without an available pod than `maxUnavailable`; with surge the
 * successor comes first, and no more nodes have two than `maxSurge`.
 */
export function planDaemonSet(observed: Observed): readonly Action[] {
  if (observed.set.metadata.deletionTimestamp) return [];
  const places = placesOf(observed);
  const kept = places.flatMap((place) => keepPlace(place, observed));
  return [...kept, ...unplaced(observed), ...planUpdate(places, kept, observed)];
}

/** Every node with its pods. */
export function placesOf({ set, nodes, pods }: Pick<Observed, 'set' | 'nodes' | 'pods'>): readonly NodePods[] {
  const byNode = new Map<string, Pod[]>();
  for (const pod of pods) {
    // What has ended and is going is as good as gone.
    if (isFinished(pod) && isTerminating(pod)) continue;
    const name = targetNode(pod) ?? '';
    const there = byNode.get(name);
    if (there) there.push(pod);
    else byNode.set(name, [pod]);
  }
  const eligibilityOf = eligibility(set);
  return nodes.map((node) => {
    const nodeName = node.metadata.name ?? '';
    return { nodeName, eligibility: eligibilityOf(node), pods: byNode.get(nodeName)?.sort(byAge) ?? [] };
  });
}

function keepPlace(place: NodePods, observed: Observed): readonly Action[] {
  const { nodeName, pods } = place;
  if (place.eligibility === 'runs' && pods.length === 0) return [{ kind: 'create', nodeName }];
  const staying = pods.filter((pod) => !isTerminating(pod));
  if (place.eligibility === 'none') return staying.map(deleting(nodeName, 'misplaced'));
  const running = staying.filter((pod) => !isFinished(pod));
  return [
    ...staying.filter((pod) => pod.status?.phase === 'Failed').map(deleting(nodeName, 'failed')),
    ...staying.filter((pod) => pod.status?.phase === 'Succeeded').map(deleting(nodeName, 'succeeded')),
    ...surplusOf(running, observed).map(deleting(nodeName, 'surplus')),
  ];
}

/** Without surge the oldest stays; with surge an old pod may serve until its successor does. */
function surplusOf(running: readonly Pod[], observed: Observed): readonly Pod[] {
  const { set, hash } = observed;
  if (!allowsSurge(set)) return running.slice(1);
  const isNew = (pod: Pod) => isUpdated(pod, hash);
  const [successor, old] = [running.find(isNew), running.find((pod) => !isNew(pod))];
  const others = running.filter((pod) => pod !== successor && pod !== old);
  if (!successor || !old) return others;
  return !isReady(old) || isServing(successor, observed) ? [...others, old] : others;
}

/** Pods that wait for a node that is gone. */
function unplaced({ nodes, pods }: Observed): readonly Action[] {
  const names = new Set(nodes.map(({ metadata }) => metadata.name));
  return pods
    .filter((pod) => !pod.spec.nodeName && !isTerminating(pod) && !names.has(targetNode(pod)))
    .map((pod) => deleting(targetNode(pod) ?? '', 'misplaced')(pod));
}

function planUpdate(places: readonly NodePods[], kept: readonly Action[], observed: Observed): readonly Action[] {
  const { set, hash } = observed;
  if (set.spec.updateStrategy.type !== 'RollingUpdate') return [];
  const { maxSurge, maxUnavailable } = updateLimits(set, places.filter(isWanted).length);
  const touched = new Set(kept.map(({ nodeName }) => nodeName));
  const lives = places
    .filter((place) => place.eligibility !== 'none')
    .map((place) => ({ ...place, live: place.pods.filter((pod) => !isTerminating(pod) && !isFinished(pod)) }));
  // Where something is being put right anyway, nothing is replaced.
  const outdated = lives.flatMap(({ nodeName, eligibility: place, live }) => {
    const [pod] = live;
    const isAlone = live.length === 1 && !touched.has(nodeName);
    if (!pod || !isAlone || isUpdated(pod, hash)) return [];
    return [{ nodeName, pod, mayHaveNew: place === 'runs', serves: isServing(pod, observed) }];
  });
  if (maxSurge === 0) {
    const missing = lives.filter((place) => isWanted(place) && !place.live.some((pod) => isServing(pod, observed)));
    const chosen = choose(outdated, maxUnavailable - missing.length);
    return chosen.map(({ nodeName, pod }) => deleting(nodeName, 'outdated')(pod));
  }
  const surging = lives.filter(({ live }) => live.length > 1).length;
  const candidates = outdated.filter(({ mayHaveNew }) => mayHaveNew);
  return choose(candidates, maxSurge - surging).map(({ nodeName }) => ({ kind: 'create', nodeName }));
}

/** All that do not serve anyway, and as many of the others as there is room for. */
function choose<T extends { readonly serves: boolean }>(outdated: readonly T[], room: number): readonly T[] {
  const idle = outdated.filter(({ serves }) => !serves);
  return [...idle, ...outdated.filter(({ serves }) => serves).slice(0, Math.max(0, room))];
}

/** The limits in pods, of so many nodes. When both come to nothing one may be missing, or no update could move. */
function updateLimits({ spec }: DaemonSet, wanted: number) {
  const { maxSurge = 0, maxUnavailable = 1 } = spec.updateStrategy.rollingUpdate ?? {};
  const limits = { maxSurge: roundedUp(maxSurge, wanted), maxUnavailable: roundedUp(maxUnavailable, wanted) };
  return limits.maxSurge + limits.maxUnavailable === 0 ? { maxSurge: 0, maxUnavailable: 1 } : limits;
}

function allowsSurge({ spec }: DaemonSet): boolean {
  const { type, rollingUpdate } = spec.updateStrategy;
  return type === 'RollingUpdate' && roundedUp(rollingUpdate?.maxSurge ?? 0, 1) > 0;
}

function isWanted(place: NodePods): boolean {
  return place.eligibility === 'runs';
}

function isServing(pod: Pod, { set, nowMs }: Observed): boolean {
  return isAvailable(pod, set.spec.minReadySeconds ?? 0, nowMs);
}

function deleting(nodeName: string, why: Why): (pod: Pod) => Action {
  return (pod) => ({ kind: 'delete', nodeName, pod, why });
}

/** Those on a node before those that wait, then by age, then by name. */
function byAge(a: Pod, b: Pod): number {
  const merit = ({ spec, metadata }: Pod) =>
    [spec.nodeName ? 0 : 1, Date.parse(metadata.creationTimestamp ?? '')] as const;
  const [first, second] = [merit(a), merit(b)];
  return first[0] - second[0] || first[1] - second[1] || ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1);
}
