import type { AdmissionHook } from '@slipway/api-server/attributes/admission';
import { defaultClassAnnotation } from '../kinds/storage-class.js';

/** A claim that names no storage class gets the default one; of several the newest. An empty name asks for none. */
export const defaultStorageClass: AdmissionHook = ({ operation, resource, subresource, object }, reader) => {
  const isClaim = resource.group === '' && resource.plural === 'persistentvolumeclaims' && subresource === '';
  if (operation !== 'CREATE' || !isClaim || object.spec.storageClassName !== undefined) return;
  const [newest] = reader
    .list('storageclasses.storage.k8s.io', {})
    .entries.map(({ object: storageClass }) => storageClass.metadata)
    .filter(({ annotations }) => annotations?.[defaultClassAnnotation] === 'true')
    .sort((a, b) => ((a.creationTimestamp ?? '') < (b.creationTimestamp ?? '') ? 1 : -1));
  if (newest) object.spec.storageClassName = newest.name;
};
