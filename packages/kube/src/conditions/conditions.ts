import { timestamp } from '../clock/timestamp.js';
import type { Condition } from '../transport/objects.js';

/**
 * The conditions with one set, in their order; a new one goes last. The input is
 * not changed. `lastTransitionTime` moves only when the status does, so that it
 * tells since when a condition holds.
 */
export function setCondition(
  conditions: readonly Condition[] | undefined,
  condition: Omit<Condition, 'lastTransitionTime'>,
  nowMs: number,
): Condition[] {
  const before = findCondition(conditions, condition.type);
  const since = before?.status === condition.status ? before.lastTransitionTime : timestamp(nowMs);
  const now: Condition = { ...condition, lastTransitionTime: since };
  if (!before) return [...(conditions ?? []), now];
  return (conditions ?? []).map((other) => (other === before ? now : other));
}

/** The condition of a type, if it was ever set. */
export function findCondition(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** Whether the condition of a type holds. */
export function isConditionTrue(
  conditions: readonly { readonly type?: string; readonly status?: string }[] | undefined,
  type: string,
): boolean {
  return conditions?.find((condition) => condition.type === type)?.status === 'True';
}
