import type { KubeObject } from '../transport/objects.js';

/** `ObjectReference` of core/v1: what an event is about. */
export interface ObjectReference {
  apiVersion: string;
  kind: string;
  name: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  /** The part of the object, such as `spec.containers{main}`. */
  fieldPath?: string;
}

/** A part of an object, such as one container of a pod. */
export interface ObjectPart {
  readonly object: KubeObject;
  /** Such as `spec.containers{main}`. */
  readonly fieldPath: string;
}

/** The reference to an object or a part of one, with the version that it was seen in. */
export function referenceTo(about: KubeObject | ObjectPart): ObjectReference {
  if ('fieldPath' in about) return { ...referenceTo(about.object as KubeObject), fieldPath: about.fieldPath as string };
  const { apiVersion, kind, metadata } = about as KubeObject;
  const { name = '', namespace, uid, resourceVersion } = metadata;
  return {
    apiVersion,
    kind,
    name,
    ...(namespace ? { namespace } : {}),
    ...(uid ? { uid } : {}),
    ...(resourceVersion ? { resourceVersion } : {}),
  };
}
