import type { AdmissionHook } from '@slipway/api-server/attributes/admission';
import { defaultIngressClassAnnotation } from '../kinds/ingress-class.js';

/** How classes were named before there were any. */
const formerAnnotation = 'kubernetes.io/ingress.class';

/** A new ingress that names no class gets the default one; of several the newest, of those the first by name. */
export const defaultIngressClass: AdmissionHook = ({ operation, resource, subresource, object }, reader) => {
  const isIngress = resource.group === 'networking.k8s.io' && resource.plural === 'ingresses' && subresource === '';
  if (operation !== 'CREATE' || !isIngress) return;
  object.spec ??= {};
  if (object.spec.ingressClassName !== undefined || object.metadata.annotations?.[formerAnnotation] !== undefined)
    return;
  const [newest] = reader
    .list('ingressclasses.networking.k8s.io', {})
    .entries.map(({ object: ingressClass }) => ingressClass.metadata)
    .filter(({ annotations }) => annotations?.[defaultIngressClassAnnotation] === 'true')
    .sort((a, b) => compare(b.creationTimestamp, a.creationTimestamp) || compare(a.name, b.name));
  if (newest) object.spec.ingressClassName = newest.name;
};

function compare(a = '', b = ''): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
