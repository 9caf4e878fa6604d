import { type FieldError, forbidden } from '@slipway/api-machinery/errors/field-error';
import { equalJson } from '@slipway/api-machinery/json/json-value';
import type { KubeObject } from '@slipway/kube';
import type { PodSpecFields } from '@slipway/kube-objects/kinds/pod-spec';
import { mirrorAnnotation } from '@slipway/kube-objects/rules/well-known';
import { validateTargets } from './container-validation.js';
import { validatePodSpec } from './pod-spec-validation.js';

/** Validates an update that adds ephemeral containers to a pod: existing ones must not change. */
export function validateEphemeralContainers(pod: KubeObject, old: KubeObject): FieldError[] {
  const { annotations } = old.metadata;
  if (annotations && Object.hasOwn(annotations, mirrorAnnotation)) {
    return [forbidden('', 'static pods do not support ephemeral containers')];
  }
  return [
    ...validatePodSpec(pod.spec, 'spec'),
    ...validateTargets(pod.spec, 'spec'),
    ...validateKept(pod.spec, old.spec),
  ];
}

function validateKept(spec: PodSpecFields, old: PodSpecFields): FieldError[] {
  return (old.ephemeralContainers ?? []).flatMap((before) => {
    const after = spec.ephemeralContainers?.find(({ name }) => name === before.name);
    if (equalJson(after, before)) return [];
    const what = after ? 'changed' : 'removed';
    const detail = `existing ephemeral containers ${JSON.stringify(before.name)} may not be ${what}\n`;
    return [forbidden('spec.ephemeralContainers', detail)];
  });
}
