import {
  controllerOf,
  type InformerFactory,
  type KubeObject,
  type LabelSelector,
  matchesSelector,
  type ObjectRef,
  type ResourceRef,
} from '@slipway/kube';
import { refOf } from '../api/object-ref.js';

/** For an object that nobody controls: those who select it and might take it over. */
export function selectingOwners<O extends KubeObject & { spec: { selector: LabelSelector } }>(
  informers: InformerFactory,
  owners: ResourceRef<O>,
): (object: KubeObject) => readonly ObjectRef[] {
  const { lister } = informers.informer(owners);
  return (object) => {
    if (controllerOf(object)) return [];
    const { namespace, labels } = object.metadata;
    return lister
      .list({ namespace })
      .filter(({ spec }) => matchesSelector(spec.selector, labels))
      .map(refOf);
  };
}
