import { timestamp } from '@slipway/kube';
import type { Node, Taint } from '@slipway/kube-objects/kinds/api/nodes';
import { isAway, readiness } from './node-conditions.js';

const notReady = 'node.kubernetes.io/not-ready';
const unreachable = 'node.kubernetes.io/unreachable';
const unschedulable = 'node.kubernetes.io/unschedulable';

/** Conditions that taint a node while they hold. */
const taintOf: Readonly<Record<string, string>> = {
  MemoryPressure: 'node.kubernetes.io/memory-pressure',
  DiskPressure: 'node.kubernetes.io/disk-pressure',
  PIDPressure: 'node.kubernetes.io/pid-pressure',
  NetworkUnavailable: 'node.kubernetes.io/network-unavailable',
};

const noScheduleKeys = [notReady, unreachable, unschedulable, ...Object.values(taintOf)];
const noExecuteKeys = [notReady, unreachable];

/**
 * Whether pods may be driven from nodes that are not ready: `new` also from nodes that they
 * are not driven from yet, `known` only from those, `none` from no node.
 */
export type Eviction = 'new' | 'known' | 'none';

/**
 * The taints a node should have: ours by its conditions and its cordon, those of others as they are.
 * A taint that is there already keeps its time.
 */
export function wantedTaints(node: Node, eviction: Eviction, nowMs: number): readonly Taint[] {
  const taints = node.spec?.taints ?? [];
  const wanted = [
    ...noScheduleFor(node).map((key) => ({ key, effect: 'NoSchedule' as const })),
    ...noExecuteFor(node, eviction).map((key) => ({ key, effect: 'NoExecute' as const })),
  ];
  const isWanted = (taint: Taint) => wanted.some((each) => isSame(each, taint));
  const added = wanted
    .filter((each) => !taints.some((taint) => isSame(each, taint)))
    .map((taint) => ({ ...taint, timeAdded: timestamp(nowMs) }));
  return [...taints.filter((taint) => !isOurs(taint) || isWanted(taint)), ...added];
}

/** Whether pods are being driven from this node because it is not ready. */
export function isEvicting({ spec }: Node): boolean {
  return spec?.taints?.some(({ key, effect }) => effect === 'NoExecute' && noExecuteKeys.includes(key)) ?? false;
}

function noScheduleFor(node: Node): readonly string[] {
  const ready = readiness(node);
  const pressures = node.status?.conditions?.filter(({ status }) => status === 'True') ?? [];
  return [
    ...(ready === 'False' ? [notReady] : ready === 'Unknown' ? [unreachable] : []),
    ...pressures.flatMap(({ type }) => taintOf[type] ?? []),
    ...(node.spec?.unschedulable ? [unschedulable] : []),
  ];
}

function noExecuteFor(node: Node, eviction: Eviction): readonly string[] {
  if (!isAway(node) || eviction === 'none' || (eviction === 'known' && !isEvicting(node))) return [];
  return [readiness(node) === 'False' ? notReady : unreachable];
}

function isOurs({ key, effect }: Taint): boolean {
  return (effect === 'NoSchedule' ? noScheduleKeys : effect === 'NoExecute' ? noExecuteKeys : []).includes(key);
}

function isSame(a: Taint, b: Taint): boolean {
  return a.key === b.key && a.effect === b.effect;
}
