import { type FieldError, forbidden, invalid } from '@slipway/api-machinery/errors/field-error';
import type { KubeObject } from '@slipway/kube';
import { mirrorAnnotation } from '@slipway/kube-objects/rules/well-known';

const field = `metadata.annotations[${mirrorAnnotation}]`;

/** A pod that stands for a static one is on the node that has that. */
export function validateMirror({ metadata, spec }: KubeObject): FieldError[] {
  const value = metadata.annotations?.[mirrorAnnotation];
  return value === undefined || spec.nodeName
    ? []
    : [invalid(field, value, 'must set spec.nodeName if mirror pod annotation is set')];
}

/** Whether a pod stands for a static one, and for which, is settled when it is made. */
export function validateMirrorUpdate(pod: KubeObject, old: KubeObject): FieldError[] {
  const [now, before] = [pod, old].map(({ metadata }) => metadata.annotations?.[mirrorAnnotation]);
  if (now === before) return [];
  return [forbidden(field, `may not ${before === undefined ? 'add' : 'remove or update'} mirror pod annotation`)];
}
