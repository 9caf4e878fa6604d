import { errorMessage, hasReason, isNamespaceTerminating } from '@slipway/kube';
import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import type { StatefulSet } from '@slipway/kube-objects/kinds/api/workloads';
import type { Writing } from '../workloads/write-pods.js';
import { podOfSet } from './identity.js';
import type { Revisions } from './keep-history.js';
import type { Action } from './plan-stateful-set.js';
import { templateOf } from './revisions.js';

/**
 * Creates and deletes pods as planned, and tells about it. The plan says what may
 * happen at once. Stops at the first failure and returns it.
 */
export async function changeSet(
  writing: Writing<Pod>,
  set: StatefulSet,
  revisions: Revisions,
  actions: readonly Action[],
): Promise<{ readonly error: unknown } | undefined> {
  const results = await Promise.allSettled(actions.map((action) => change(writing, set, revisions, action)));
  const failed = results.find((result) => result.status === 'rejected');
  return failed && { error: failed.reason };
}

async function change(
  { objects, events, signal }: Writing<Pod>,
  set: StatefulSet,
  { current, update }: Revisions,
  action: Action,
): Promise<void> {
  const setName = set.metadata.name;
  if (action.kind === 'create') {
    const { ordinal, revision } = action;
    const made = revision === current.metadata.name ? current : update;
    const what = `Create Pod ${setName}-${ordinal} in StatefulSet ${setName}`;
    try {
      const pod = podOfSet(set, ordinal, templateOf(made), revision);
      await objects.create(pod, signal);
      events.event(set, 'Normal', 'SuccessfulCreate', `${what} successful`);
    } catch (error) {
      // The name is still taken, or not free yet: an event of the pod that holds it requeues the set.
      if (isNamespaceTerminating(error) || hasReason(error, 'AlreadyExists')) return;
      events.event(set, 'Warning', 'FailedCreate', `${what} failed error: ${errorMessage(error)}`);
      throw error;
    }
    return;
  }
  const { pod } = action;
  const what = `Delete Pod ${pod.metadata.name} in StatefulSet ${setName}`;
  try {
    await objects.delete(pod, { signal });
    events.event(set, 'Normal', 'SuccessfulDelete', `${what} successful`);
  } catch (error) {
    // Another client was faster: the next reconciliation does what is left.
    if (!hasReason(error, 'Conflict')) {
      events.event(set, 'Warning', 'FailedDelete', `${what} failed error: ${errorMessage(error)}`);
    }
    throw error;
  }
}
