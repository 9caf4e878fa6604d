import type { KubeObject, OwnerReference } from '../transport/objects.js';

/**
 * A reference to the owner of an object. A controlling owner also keeps itself
 * from going before what it owns when deletion runs in the foreground.
 * @throws TypeError when the owner was never stored: a reference needs its uid.
 */
export function ownerReference(owner: KubeObject, options: { controller?: boolean } = {}): OwnerReference {
  const { name, uid } = owner.metadata;
  if (!name || !uid) throw new TypeError(`${owner.kind} ${name ?? ''} has no uid yet, so nothing can be owned by it`);
  const reference = { apiVersion: owner.apiVersion, kind: owner.kind, name, uid };
  return options.controller ? { ...reference, controller: true, blockOwnerDeletion: true } : reference;
}

/** The one owner that manages an object, if it has one. */
export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((owner) => owner.controller === true);
}

/** Whether `object` is managed by exactly this `owner`, not by an earlier one of the same name. */
export function isControlledBy(object: KubeObject, owner: KubeObject): boolean {
  const uid = controllerOf(object)?.uid;
  return uid !== undefined && uid === owner.metadata.uid;
}
