import type { KubeObject, ResourceRef } from '@slipway/kube';
import { keys } from '../api/group.js';
import { type Amounts, parseAmounts } from '../planner/amounts.js';

/** The resource of core/v1 nodes. */
export const Node: ResourceRef = { group: '', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false };

export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

/** What counts of a node. */
export interface NodeView {
  readonly name: string;
  readonly uid: string;
  readonly providerID: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly ready: boolean;
  /** Cordoned, or about to be taken away: nothing is to be hidden there any more. */
  readonly leaving: boolean;
  readonly taints: readonly Taint[];
  readonly hardware: Amounts;
  readonly allocatable: Amounts;
  /** Every resource of `status.allocatable`, as it is written there. */
  readonly allocatableOf: Readonly<Record<string, string | number>>;
  readonly kubeletVersion: string;
  /** When it was made, in milliseconds since 1970. */
  readonly createdMs: number;
  /** Until when the fence may stand, in milliseconds since 1970, where there is one. */
  readonly fencedUntilMs: number | undefined;
  /** Resizes preempt nothing on this node (1.37). */
  readonly neverPreemptsForResize: boolean;
}

/** Taints by which autoscalers announce that a node goes. */
const leavingTaints = new Set(['ToBeDeletedByClusterAutoscaler', 'karpenter.sh/disrupted']);

/** @throws QuantityError when an amount cannot be read. */
export function readNode(node: KubeObject): NodeView {
  const { name = '', uid = '', labels = {}, annotations, creationTimestamp = '' } = node.metadata;
  const taints: readonly Taint[] = node.spec?.taints ?? [];
  const conditions: readonly { readonly type: string; readonly status: string }[] = node.status?.conditions ?? [];
  const fencedUntil = annotations?.[keys.fencedUntil];
  const noPreemption: readonly string[] = node.spec?.podPreemptionPolicy?.disableResizePreemption ?? [];
  return {
    name,
    uid,
    providerID: node.spec?.providerID,
    labels,
    ready: conditions.some(({ type, status }) => type === 'Ready' && status === 'True'),
    leaving: node.spec?.unschedulable === true || taints.some(({ key }) => leavingTaints.has(key)),
    taints,
    hardware: parseAmounts(node.status?.capacity),
    allocatable: parseAmounts(node.status?.allocatable),
    allocatableOf: node.status?.allocatable ?? {},
    kubeletVersion: node.status?.nodeInfo?.kubeletVersion ?? '',
    createdMs: Date.parse(creationTimestamp) || 0,
    fencedUntilMs: fencedUntil === undefined ? undefined : Date.parse(fencedUntil) || 0,
    neverPreemptsForResize: noPreemption.length > 0,
  };
}

/** Whether a taint of ours is on the node. */
export function hasTaint(node: NodeView, key: string): boolean {
  return node.taints.some((taint) => taint.key === key);
}
