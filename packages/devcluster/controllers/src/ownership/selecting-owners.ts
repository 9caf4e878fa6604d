import {
  controllerOf,
  type InformerFactory,
  type KubeObject,
  type LabelSelector,
  matchesSelector,
  type ObjectRef,
  type ResourceRef,
  refOf,
} from '@slipway/kube';

/** For an object without a controller: the owners that select it and might take it over. */
export function selectingOwners<O extends KubeObject & { spec: { selector: LabelSelector } }>(
  informers: InformerFactory,
  owners: ResourceRef<O>,
): (object: KubeObject) => readonly ObjectRef[] {
  return ownersSelecting(informers, owners, ({ spec }) => spec.selector);
}

/** The same where the selector has to be looked for. */
export function ownersSelecting<O extends KubeObject>(
  informers: InformerFactory,
  owners: ResourceRef<O>,
  selectorOf: (owner: O) => LabelSelector,
): (object: KubeObject) => readonly ObjectRef[] {
  const { lister } = informers.informer(owners);
  return (object) => {
    if (controllerOf(object)) return [];
    const { namespace, labels } = object.metadata;
    return lister
      .list({ namespace })
      .filter((owner) => matchesSelector(selectorOf(owner), labels))
      .map(refOf);
  };
}
