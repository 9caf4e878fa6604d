import { findCondition, isConditionTrue, keyOf, type ObjectRef, refOf } from '@slipway/kube';
import type { ResourceClaim } from '@slipway/kube-objects/kinds/api/resource-claims';

/** The devices of a claim cannot be used after all. The message says why, in the words of Kubernetes. */
export class DeviceBindingError extends Error {}

/** As long as Kubernetes waits for the conditions of devices. */
export const longestBindingMs = 600_000;

/** Whether devices of an allocated claim have to say that they are prepared before its pod is bound. */
export function hasBindingConditions({ status }: Pick<ResourceClaim, 'status'>): boolean {
  return status?.allocation?.devices?.results?.some(({ bindingConditions }) => bindingConditions?.length) ?? false;
}

/** Whether the devices of an allocated claim say that they are prepared. @throws DeviceBindingError when one says that it failed */
export function arePrepared({ metadata, status }: ResourceClaim): boolean {
  for (const result of status?.allocation?.devices?.results ?? []) {
    const { driver, pool, device, bindingConditions = [], bindingFailureConditions = [] } = result;
    if (bindingConditions.length === 0) continue;
    const said = status?.devices?.find((one) => one.driver === driver && one.pool === pool && one.device === device);
    if (!said) return false;
    for (const type of bindingFailureConditions) {
      const failed = findCondition(said.conditions, type);
      if (failed?.status !== 'True') continue;
      const why = `reason=${failed.reason}, message=${JSON.stringify(failed.message)}`;
      throw new DeviceBindingError(`device binding failed: claim=${metadata.name}, ${why}`);
    }
    if (!bindingConditions.every((type) => isConditionTrue(said.conditions, type))) return false;
  }
  return true;
}

/** Whether the devices of an allocated claim failed to be prepared, or have not been for too long. */
export function isStuck(claim: ResourceClaim, nowMs: number): boolean {
  if (!hasBindingConditions(claim)) return false;
  try {
    return !arePrepared(claim) && isTooLate(claim, nowMs);
  } catch (error) {
    if (error instanceof DeviceBindingError) return true;
    throw error;
  }
}

function isTooLate({ status }: ResourceClaim, nowMs: number): boolean {
  return Date.parse(status?.allocation?.allocationTimestamp ?? '') + longestBindingMs < nowMs;
}

export interface DeviceBinding {
  readonly claim: (ref: ObjectRef) => ResourceClaim | undefined;
  readonly nowMs: () => number;
  /** Resolves when a claim has changed or a pod is gone, and after that many milliseconds. @throws when `signal` aborts */
  readonly whenChanged: (withinMs: number, signal: AbortSignal) => Promise<void>;
  /** Whether the pod is there, and has no node yet. */
  readonly isWanted: () => boolean;
}

/**
 * Waits until the devices of claims say that they are prepared.
 * @throws DeviceBindingError when one fails, or they are not after ten minutes
 */
export async function whenPrepared(
  { claim: find, nowMs, whenChanged, isWanted }: DeviceBinding,
  claims: readonly ResourceClaim[],
  signal: AbortSignal,
): Promise<void> {
  const untilMs = nowMs() + longestBindingMs;
  for (;;) {
    const current = claims.map((claim) => {
      const found = find(refOf(claim));
      if (!found) throw new DeviceBindingError(`could not find resourceclaim "${keyOf(claim)}"`);
      return found;
    });
    const waiting = current.find((claim) => !arePrepared(claim));
    if (!waiting) return;
    if (!isWanted()) throw new DeviceBindingError('pod does not exist any more');
    const leftMs = untilMs - nowMs();
    if (leftMs <= 0 || isTooLate(waiting, nowMs()))
      throw new DeviceBindingError(`device binding timeout: claim=${waiting.metadata.name}`);
    await whenChanged(leftMs, signal);
  }
}
