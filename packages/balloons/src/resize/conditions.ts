import { type Condition, findCondition, isConditionTrue, setCondition } from '@slipway/kube';
import type { NodeSizeStatus } from '../api/node-size.js';

/** Why a node does not have its desired size; undefined when it has. */
export interface NotReady {
  readonly reason: 'Waiting' | 'Paused' | 'Disabled';
  readonly message: string;
}

/** What is wrong with a node and needs attention. */
export interface Degradation {
  readonly reason:
    | 'BalloonMissing'
    | 'CapacityShrunk'
    | 'BalloonPreempted'
    | 'BalloonEvicted'
    | 'QuotaExceeded'
    | 'LimitRange'
    | 'KubeletTooOld'
    | 'PriorityUnsafe'
    | 'ActuatorUnknown'
    | 'SwapBlocksMemory'
    | 'ExternalResizeReverted'
    | 'PolicyConflict';
  readonly message: string;
}

/** Returns the `Waiting` reason with a message. */
export function waiting(message: string): NotReady {
  return { reason: 'Waiting', message };
}

/** Sets the conditions `Ready` and `Degraded`; the latter appears with the first degradation. */
export function withConditions(
  status: NodeSizeStatus,
  nowMs: number,
  notReady: NotReady | undefined,
  degradation: Degradation | undefined,
): NodeSizeStatus {
  const ready = withCondition(status.conditions, nowMs, 'Ready', notReady === undefined, {
    reason: notReady?.reason ?? 'AtSize',
    message: notReady?.message ?? 'the node has its desired size',
  });
  if (!degradation && !isConditionTrue(ready, 'Degraded')) return { ...status, conditions: ready };
  const conditions = withCondition(ready, nowMs, 'Degraded', degradation !== undefined, {
    reason: degradation?.reason ?? 'Healthy',
    message: degradation?.message ?? 'nothing is wrong',
  });
  return { ...status, conditions };
}

/** Sets a condition; one that stays the same is left as it is, object and time included. */
export function withCondition(
  conditions: readonly Condition[] | undefined,
  nowMs: number,
  type: string,
  holds: boolean,
  why: { readonly reason: string; readonly message: string },
): readonly Condition[] {
  const status = holds ? 'True' : 'False';
  const before = findCondition(conditions, type);
  const isSame = before?.status === status && before.reason === why.reason && before.message === why.message;
  return isSame ? (conditions ?? []) : setCondition(conditions, { type, status, ...why }, nowMs);
}
