import type { Kube, KubeObject, ResourceRef } from '@slipway/kube';
import { configMaps, secrets } from '@slipway/kube-objects/kinds/api/core';
import { nodes } from '@slipway/kube-objects/kinds/api/nodes';
import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import type { ContainerFields, PodSpecFields, ProjectionFields } from '@slipway/kube-objects/kinds/pod-spec';
import type { ContainerView } from './container-view.js';

const resources = { configMaps, secrets, nodes } as Record<keyof ObjectNames, ResourceRef>;

/** Names of objects that a container sees. */
export interface ObjectNames {
  readonly configMaps: Set<string>;
  readonly secrets: Set<string>;
  readonly nodes: Set<string>;
}

/** Fetches objects, of a namespace where they are in one; those that do not exist are left out. @throws StatusError */
export async function fetchNamed(kube: Kube, namespace: string, names: ObjectNames): Promise<ContainerView['lookUp']> {
  const found = new Map<string, KubeObject>();
  for (const kind of ['configMaps', 'secrets', 'nodes'] as const) {
    const resource = resources[kind];
    const space = resource.namespaced ? { namespace } : {};
    for (const name of names[kind]) {
      const object = await kube.resource(resource).find({ ...space, name });
      if (object) found.set(`${resource.plural}/${name}`, object);
    }
  }
  return (resource, name) => found.get(`${resource}/${name}`);
}

/** The objects that the variables of a container are made of. */
export function namesInVariables(pod: Pod, { env, envFrom }: ContainerFields): ObjectNames {
  const names: ObjectNames = { configMaps: new Set(), secrets: new Set(), nodes: new Set() };
  for (const { configMapRef, secretRef } of envFrom ?? []) {
    add(names.configMaps, configMapRef?.name);
    add(names.secrets, secretRef?.name);
  }
  for (const { valueFrom } of env ?? []) {
    add(names.configMaps, valueFrom?.configMapKeyRef?.name);
    add(names.secrets, valueFrom?.secretKeyRef?.name);
    if (valueFrom?.resourceFieldRef) add(names.nodes, pod.spec.nodeName);
  }
  return names;
}

/** The objects that a container sees through its variables and volumes, and whether it sees changes of them. */
export function namesInContainer(
  pod: Pod,
  container: ContainerFields,
): { readonly names: ObjectNames; readonly changes: boolean } {
  const names = namesInVariables(pod, container);
  const mounted = new Set((container.volumeMounts ?? []).map(({ name }) => name));
  let changes = false;
  for (const { name, configMap, secret, downwardAPI, projected } of (pod.spec as unknown as PodSpecFields).volumes ??
    []) {
    if (!mounted.has(name)) continue;
    const sources: readonly ProjectionFields[] = projected?.sources ?? [];
    for (const source of sources) {
      add(names.configMaps, source.configMap?.name);
      add(names.secrets, source.secret?.name);
    }
    add(names.configMaps, configMap?.name);
    add(names.secrets, secret?.secretName);
    const hasPod = downwardAPI ?? sources.some((source) => source.downwardAPI);
    if (hasPod) add(names.nodes, pod.spec.nodeName);
    changes ||= Boolean(configMap ?? secret ?? (hasPod || sources.some((source) => source.configMap ?? source.secret)));
  }
  return { names, changes };
}

function add(names: Set<string>, name: string | undefined): void {
  if (name) names.add(name);
}
