import { type EventRecorder, type KubeObject, type RecentWrites, type ResourceClient, refOf } from '@slipway/kube';
import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import { slowStart } from './slow-start.js';

/** What a reconciliation writes dependents of one kind with, and tells about them. */
export interface Writing<T extends KubeObject> {
  readonly client: ResourceClient<T>;
  readonly recent: RecentWrites<T>;
  readonly events: EventRecorder;
  readonly signal: AbortSignal;
}

/**
 * Creates pods of a workload in growing batches, with an event of the workload for each.
 * @returns the first error, if any: then some of them may be missing.
 */
export async function createPods(
  { client, recent, events, signal }: Writing<Pod>,
  workload: KubeObject,
  count: number,
  podAt: (index: number) => Pod,
): Promise<{ readonly error?: unknown }> {
  return slowStart(count, async (index) => {
    const pod = recent.wrote(await client.create(podAt(index), { signal }));
    events.event(workload, 'Normal', 'SuccessfulCreate', `Created pod: ${pod.metadata.name}`);
  });
}

/** Deletes this very pod of a workload, with an event of the workload. Rejects with a Conflict when another pod has its name by now. */
export async function deletePod(
  { client, recent, events, signal }: Writing<Pod>,
  workload: KubeObject,
  pod: Pod,
): Promise<void> {
  await client.delete(refOf(pod), { preconditions: { uid: pod.metadata.uid ?? '' }, signal });
  recent.deleted(recent.get(refOf(pod)) ?? pod);
  events.event(workload, 'Normal', 'SuccessfulDelete', `Deleted pod: ${pod.metadata.name}`);
}
