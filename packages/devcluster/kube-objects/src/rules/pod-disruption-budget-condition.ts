import { type Condition, setCondition } from '@slipway/kube';

/** The condition that says whether a budget allows an eviction. */
export const disruptionAllowed = 'DisruptionAllowed';

/** Its reason when the pods of the budget could not be counted. */
export const syncFailed = 'SyncFailed';

/** What of a budget's status the condition follows from. */
interface Counted {
  readonly observedGeneration?: number;
  readonly disruptionsAllowed: number;
  readonly conditions?: readonly Condition[];
}

/** The conditions of a budget, with the one about evictions as its count has it. */
export function withDisruptionAllowed(status: Counted, nowMs: number): Condition[] {
  const isAllowed = status.disruptionsAllowed > 0;
  const reason = isAllowed ? 'SufficientPods' : 'InsufficientPods';
  return withCondition(status, isAllowed ? 'True' : 'False', reason, '', nowMs);
}

/** The same for a budget whose pods could not be counted. */
export function withSyncFailed(status: Counted, message: string, nowMs: number): Condition[] {
  return withCondition(status, 'False', syncFailed, message, nowMs);
}

function withCondition(
  { observedGeneration, conditions }: Counted,
  status: Condition['status'],
  reason: string,
  message: string,
  nowMs: number,
): Condition[] {
  const generation = observedGeneration === undefined ? {} : { observedGeneration };
  return setCondition(conditions, { type: disruptionAllowed, status, reason, message, ...generation }, nowMs);
}
