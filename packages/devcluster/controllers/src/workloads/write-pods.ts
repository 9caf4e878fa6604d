import type { EventRecorder, KubeObject } from '@slipway/kube';
import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import type { RecordedClient } from './recorded-client.js';
import { slowStart } from './slow-start.js';

/** What a reconciliation writes dependents of one kind with, and tells about them. */
export interface Writing<T extends KubeObject> {
  readonly objects: RecordedClient<T>;
  readonly events: EventRecorder;
  readonly signal: AbortSignal;
}

/**
 * Creates pods of a workload in growing batches, with an event of the workload for each.
 * @returns the first error, if any: then some of them may be missing.
 */
export async function createPods(
  { objects, events, signal }: Writing<Pod>,
  workload: KubeObject,
  count: number,
  podAt: (index: number) => Pod,
): Promise<{ readonly error?: unknown }> {
  return slowStart(count, async (index) => {
    const pod = await objects.create(podAt(index), signal);
    events.event(workload, 'Normal', 'SuccessfulCreate', `Created pod: ${pod.metadata.name}`);
  });
}

/** Deletes this very pod of a workload, with an event of the workload. Rejects with a Conflict when another pod has its name by now. */
export async function deletePod(
  { objects, events, signal }: Writing<Pod>,
  workload: KubeObject,
  pod: Pod,
): Promise<void> {
  await objects.delete(pod, { signal });
  events.event(workload, 'Normal', 'SuccessfulDelete', `Deleted pod: ${pod.metadata.name}`);
}
