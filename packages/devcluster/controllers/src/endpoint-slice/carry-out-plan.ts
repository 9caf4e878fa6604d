import type { KubeObject, ObjectRef } from '@slipway/kube';
import type { EndpointSlice } from '@slipway/kube-objects/kinds/api/services';
import type { RecordedClient } from '../workloads/recorded-client.js';
import { type SlicePlan, serviceOf } from './plan-slices.js';

/** Changes the slices that a plan says, one after the other. */
export async function carryOut(
  { create, update, remove }: SlicePlan,
  slices: RecordedClient<EndpointSlice>,
  signal: AbortSignal,
): Promise<void> {
  for (const slice of create) await slices.create(slice, signal);
  for (const slice of update) await slices.replace(slice, signal);
  for (const slice of remove) await slices.delete(slice, { signal });
}

/** Names what a slice belongs to, by its label; nothing for slices of others. */
export function refsOf(slice: KubeObject, isOwn: (slice: KubeObject) => boolean): readonly ObjectRef[] {
  const name = isOwn(slice) ? serviceOf(slice) : undefined;
  return name ? [{ name, namespace: slice.metadata.namespace }] : [];
}

/** A reference as the key of an index. */
export function keyOf({ name, namespace }: ObjectRef): string {
  return `${namespace}/${name}`;
}
