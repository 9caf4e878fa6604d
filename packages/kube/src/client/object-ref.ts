import type { KubeObject, ObjectRef } from '../transport/objects.js';

/** The reference that names an object. */
export function refOf({ metadata: { name = '', namespace } }: KubeObject): ObjectRef {
  return { name, namespace };
}
