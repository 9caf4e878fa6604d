import { forbidden } from '@slipway/api-machinery/errors/status-errors';
import type { AdmissionReader, Attributes } from '@slipway/api-server/attributes/admission';
import { compareQuantity, type KubeObject, parseQuantity, type Quantity } from '@slipway/kube';

/** The class of a claim, from before claims had a field for it. */
const classAnnotation = 'volume.beta.kubernetes.io/storage-class';

/**
 * A claim asks for more only of a class whose volumes grow, as the admission plugin PersistentVolumeClaimResize has it.
 * That it has its volume already is looked at by its validation.
 * @throws StatusError Forbidden
 */
export function requireExpandable(request: Attributes, reader: Pick<AdmissionReader, 'latest'>): void {
  const { operation, resource, subresource, object, old, name } = request;
  const isClaim = resource.group === '' && resource.plural === 'persistentvolumeclaims' && subresource === '';
  if (operation !== 'UPDATE' || !isClaim || !object || !old) return;
  if (compareQuantity(sizeOf(object), sizeOf(old)) <= 0) return;
  const className = classOf(object);
  const isKept = className !== '' && className === classOf(old);
  const storageClass = isKept ? reader.latest('storageclasses.storage.k8s.io', '', className)?.object : undefined;
  if (storageClass?.allowVolumeExpansion === true) return;
  const why =
    'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize';
  throw forbidden(resource, name, why);
}

function sizeOf({ spec }: KubeObject): Quantity {
  return parseQuantity(spec?.resources?.requests?.storage ?? '0');
}

function classOf({ metadata, spec }: KubeObject): string {
  return metadata.annotations?.[classAnnotation] ?? spec?.storageClassName ?? '';
}
