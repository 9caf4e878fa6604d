import { errorMessage, hasReason, isNamespaceTerminating } from '@slipway/kube';
import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import type { Replicated } from '@slipway/kube-objects/kinds/api/workloads';
import { podFromTemplate } from '../workloads/pod-from-template.js';
import { createPods, deletePod, type Writing } from '../workloads/write-pods.js';
import type { ReplicaPlan } from './plan-replicas.js';
import type { ReplicaFailure } from './replica-set-status.js';

/**
 * Creates and deletes pods as planned, and tells about it. A pod that another client
 * changed or deleted meanwhile is an error to retry by but no failure: the next look shows what is left to do.
 *
 * @returns what went wrong, for the status, with the error to retry by.
 */
export async function changePods(
  writing: Writing<Pod>,
  set: Replicated,
  { create, remove }: ReplicaPlan,
): Promise<{ readonly failure?: ReplicaFailure; readonly error: unknown } | undefined> {
  const template = podFromTemplate(set, set.spec.template);
  const created = await createPods(writing, set, create, () => template);
  if (created.error !== undefined && !isNamespaceTerminating(created.error)) {
    const message = errorMessage(created.error);
    writing.events.event(set, 'Warning', 'FailedCreate', `Error creating: ${message}`);
    return { failure: { reason: 'FailedCreate', message }, error: created.error };
  }
  const removed = await Promise.allSettled(remove.map((pod) => deletePod(writing, set, pod)));
  const errors = removed.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  if (errors.length === 0) return undefined;
  const refused = errors.find((error) => !hasReason(error, 'Conflict'));
  if (refused === undefined) return { error: errors[0] };
  const message = errorMessage(refused);
  writing.events.event(set, 'Warning', 'FailedDelete', `Error deleting: ${message}`);
  return { failure: { reason: 'FailedDelete', message }, error: refused };
}
