import { hasReason, isNamespaceTerminating } from '@slipway/kube';
import type { Namespace } from '@slipway/kube-objects/kinds/api/core';

/** Whether things can be made in a namespace. */
export function isNamespaceOpen(namespace: Namespace | undefined): boolean {
  if (!namespace || namespace.metadata.deletionTimestamp) return false;
  return namespace.status?.phase !== 'Terminating';
}

/** Waits for a create; an object that exists already or a terminating namespace is not a failure. */
export async function unlessThereOrGoing(created: Promise<unknown>): Promise<void> {
  try {
    await created;
  } catch (error) {
    if (!hasReason(error, 'AlreadyExists') && !isNamespaceTerminating(error)) throw error;
  }
}
