import { type KubeObject, type ObjectRef, type RecentWrites, type ResourceClient, refOf } from '@slipway/kube';
import type { EndpointSlice } from '@slipway/kube-objects/kinds/api/services';
import { type SlicePlan, serviceOf } from './plan-slices.js';

/** Changes the slices that a plan says, one after the other. */
export async function carryOut(
  { create, update, remove }: SlicePlan,
  client: ResourceClient<EndpointSlice>,
  recent: RecentWrites<EndpointSlice>,
  signal: AbortSignal,
): Promise<void> {
  for (const slice of create) recent.wrote(await client.create(slice, { signal }));
  for (const slice of update) recent.wrote(await client.replace(slice, { signal }));
  for (const slice of remove) {
    await client.delete(refOf(slice), { preconditions: { uid: slice.metadata.uid ?? '' }, signal });
    recent.deleted(slice);
  }
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
