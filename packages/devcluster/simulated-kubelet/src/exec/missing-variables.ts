import type { ContainerFields } from '@slipway/kube-objects/kinds/pod-spec';
import type { ContainerView } from './container-view.js';

/** Whether a container has variables without which it is not made. */
export function needsObjects({ env, envFrom }: ContainerFields): boolean {
  return (
    (envFrom ?? []).some(({ configMapRef, secretRef }) => isNeeded(configMapRef) || isNeeded(secretRef)) ||
    (env ?? []).some(({ valueFrom }) => isNeeded(valueFrom?.configMapKeyRef) || isNeeded(valueFrom?.secretKeyRef))
  );
}

/**
 * Describes in a kubelet's words which ConfigMap, Secret or key the variables of a container lack; undefined when none.
 */
export function missingVariable(
  { env, envFrom }: ContainerFields,
  namespace: string,
  lookUp: ContainerView['lookUp'],
): string | undefined {
  const sources = [
    ...(envFrom ?? []).map(({ configMapRef, secretRef }) => ({ map: configMapRef, secret: secretRef })),
    ...(env ?? []).map(({ valueFrom }) => ({ map: valueFrom?.configMapKeyRef, secret: valueFrom?.secretKeyRef })),
  ];
  for (const { map, secret } of sources) {
    const problem = missing('configmaps', 'ConfigMap', map) ?? missing('secrets', 'Secret', secret);
    if (problem !== undefined) return problem;
  }
  return undefined;

  function missing(resource: 'configmaps' | 'secrets', kind: string, reference: Reference | undefined) {
    if (!isNeeded(reference)) return undefined;
    const { name = '', key } = reference;
    const object = lookUp(resource, name);
    if (!object) return `${kind.toLowerCase()} ${JSON.stringify(name)} not found`;
    const isThere = key === undefined || Object.hasOwn(object.data ?? {}, key);
    return isThere ? undefined : `couldn't find key ${key} in ${kind} ${namespace}/${name}`;
  }
}

interface Reference {
  readonly name?: string;
  /** Absent: all keys. */
  readonly key?: string;
  readonly optional?: boolean;
}

function isNeeded(reference: Reference | undefined): reference is Reference {
  return reference !== undefined && !reference.optional;
}
