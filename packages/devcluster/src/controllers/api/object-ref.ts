import type { KubeObject, ObjectRef } from '@slipway/kube';

/** The reference that names an object. */
export function refOf({ metadata: { name = '', namespace } }: KubeObject): ObjectRef {
  return { name, namespace };
}
