import type { RecentWrites } from '@slipway/kube';
import {
  type EventRecorder,
  errorMessage,
  hasReason,
  isNamespaceTerminating,
  type ResourceClient,
  refOf,
} from '@slipway/kube';
import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import type { Replicated } from '@slipway/kube-objects/kinds/api/workloads';
import { podFromTemplate } from '../workloads/pod-from-template.js';
import { slowStart } from '../workloads/slow-start.js';
import type { ReplicaPlan } from './plan-replicas.js';
import type { ReplicaFailure } from './replica-set-status.js';

interface Deps {
  readonly podClient: ResourceClient<Pod>;
  readonly recent: RecentWrites<Pod>;
  readonly events: EventRecorder;
  readonly signal: AbortSignal;
}

/**
 * Creates and deletes pods as planned, and tells about it. A pod that another client
 * changed or deleted meanwhile is an error to retry by but no failure: the next look shows what is left to do.
 *
 * @returns what went wrong, for the status, with the error to retry by.
 */
export async function changePods(
  { podClient, recent, events, signal }: Deps,
  set: Replicated,
  { create, remove }: ReplicaPlan,
): Promise<{ readonly failure?: ReplicaFailure; readonly error: unknown } | undefined> {
  const template = podFromTemplate(set, set.spec.template);
  const created = await slowStart(create, async () => {
    const pod = recent.wrote(await podClient.create(template, { signal }));
    events.event(set, 'Normal', 'SuccessfulCreate', `Created pod: ${pod.metadata.name}`);
  });
  if (created.error !== undefined && !isNamespaceTerminating(created.error)) {
    const message = errorMessage(created.error);
    events.event(set, 'Warning', 'FailedCreate', `Error creating: ${message}`);
    return { failure: { reason: 'FailedCreate', message }, error: created.error };
  }
  const removed = await Promise.allSettled(
    remove.map(async (pod) => {
      await podClient.delete(refOf(pod), { preconditions: { uid: pod.metadata.uid ?? '' }, signal });
      recent.deleted(pod);
      events.event(set, 'Normal', 'SuccessfulDelete', `Deleted pod: ${pod.metadata.name}`);
    }),
  );
  const errors = removed.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  if (errors.length === 0) return undefined;
  const refused = errors.find((error) => !hasReason(error, 'Conflict'));
  if (refused === undefined) return { error: errors[0] };
  const message = errorMessage(refused);
  events.event(set, 'Warning', 'FailedDelete', `Error deleting: ${message}`);
  return { failure: { reason: 'FailedDelete', message }, error: refused };
}
