import { controllerOf, type Informer, type KubeObject } from '@slipway/kube';

const index = 'controller';

/** Files the objects of an informer under the owner that controls them, or under their namespace when they have none. */
export function indexByController<T extends KubeObject>(informer: Informer<T>): void {
  informer.addIndex(index, controllerKeys);
}

/**
 * Returns the objects that `owner` controls, and those in its namespace without a controller. Needs
 * `indexByController`.
 */
export function ownedOrOrphaned<T extends KubeObject>(informer: Informer<T>, owner: KubeObject): readonly T[] {
  const { uid = '', namespace = '' } = owner.metadata;
  const orphans = informer.lister.byIndex(index, orphansOf(namespace));
  const owned = ownedBy(informer, uid);
  return orphans.length > 0 ? [...owned, ...orphans] : owned;
}

/** Returns the objects that the owner with this UID controls. Needs `indexByController`. */
export function ownedBy<T extends KubeObject>(informer: Informer<T>, uid: string): readonly T[] {
  return informer.lister.byIndex(index, uid);
}

/** One function for all informers: an index may be added again, but only by the same function. */
function controllerKeys(object: KubeObject): readonly string[] {
  return [controllerOf(object)?.uid ?? orphansOf(object.metadata.namespace ?? '')];
}

function orphansOf(namespace: string): string {
  return `no controller in ${namespace}`;
}
