import type { KubeObject } from '@slipway/kube';
import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import { podClaims } from '@slipway/kube-objects/rules/pod-claims';
import { namedClaims } from '@slipway/kube-objects/rules/pod-resource-claims';

/**
 * Whether a pod names an object of its namespace, or without a `name` any of the
 * kind. `resource` is the plural of a kind that pods can name.
 */
export function podUses(pod: KubeObject, resource: string, name?: string): boolean {
  const names = namesIn(pod, resource);
  return name === undefined ? names.some(Boolean) : names.includes(name);
}

function namesIn(pod: KubeObject, resource: string): readonly unknown[] {
  if (resource === 'persistentvolumeclaims') return podClaims(pod).map(({ name }) => name);
  if (resource === 'resourceclaims') return namedClaims(pod as Pod).map(({ name }) => name);
  return inSpec(pod, resource);
}

function inSpec({ spec }: KubeObject, resource: string): readonly unknown[] {
  return named[resource]?.(spec ?? {}) ?? [];
}

// biome-ignore lint/suspicious/noExplicitAny: a pod spec as it is stored
type Spec = any;

const named: Readonly<Record<string, ((spec: Spec) => readonly unknown[]) | undefined>> = {
  serviceaccounts: (spec) => [spec.serviceAccountName],
  secrets: (spec) => [
    ...(spec.imagePullSecrets ?? []).map(nameOf),
    ...environment(spec, 'secretRef', 'secretKeyRef'),
    ...sources(spec).map(({ secret }) => secret?.secretName ?? secret?.name),
  ],
  configmaps: (spec) => [
    ...environment(spec, 'configMapRef', 'configMapKeyRef'),
    ...sources(spec).map(({ configMap }) => configMap?.name),
  ],
};

/** What containers take their environment from, whole or by key. */
function environment(spec: Spec, whole: string, byKey: string): unknown[] {
  const containers = [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])];
  return containers.flatMap(({ env = [], envFrom = [] }: Spec) => [
    ...envFrom.map((from: Spec) => from[whole]?.name),
    ...env.map((variable: Spec) => variable.valueFrom?.[byKey]?.name),
  ]);
}

/** Volumes, and the parts of projected ones. */
function sources(spec: Spec): Spec[] {
  return (spec.volumes ?? []).flatMap((volume: Spec) => [volume, ...(volume.projected?.sources ?? [])]);
}

function nameOf({ name }: { name?: string }): string | undefined {
  return name;
}
