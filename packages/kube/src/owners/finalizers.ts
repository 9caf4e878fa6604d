import type { KubeObject } from '../transport/objects.js';

/** Whether deletion of the object waits for `finalizer`. */
export function hasFinalizer(object: KubeObject, finalizer: string): boolean {
  return object.metadata.finalizers?.includes(finalizer) ?? false;
}

/** Adds `finalizer` to a draft, for use in `mutate`. Does nothing to an object that is being deleted: that is refused. */
export function ensureFinalizer(draft: KubeObject, finalizer: string): void {
  if (draft.metadata.deletionTimestamp || hasFinalizer(draft, finalizer)) return;
  draft.metadata.finalizers = [...(draft.metadata.finalizers ?? []), finalizer];
}

/** Takes `finalizer` out of a draft, for use in `mutate`. */
export function removeFinalizer(draft: KubeObject, finalizer: string): void {
  if (!hasFinalizer(draft, finalizer)) return;
  const rest = (draft.metadata.finalizers ?? []).filter((other) => other !== finalizer);
  if (rest.length > 0) draft.metadata.finalizers = rest;
  else delete draft.metadata.finalizers;
}
