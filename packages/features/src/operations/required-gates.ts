import type { Discovery, Kube, KubeObject } from '@slipway/kube';
import { Feature, type FeatureState } from '../api/feature.js';
import { FeatureDefinition, type FeatureDefinitionSpec, type Reference } from '../api/feature-definition.js';
import { kubernetesNamespace } from '../api/group.js';
import { resourceOf } from '../references/collection.js';
import { fits } from '../references/match.js';
import { fieldOf, usesOf } from '../references/used-field.js';
import { listAll } from './list-processes.js';

/** A gate that an object needs in order to work as written. */
export interface RequiredGate {
  readonly gate: string;
  /** `StatefulSet default/web`. */
  readonly object: string;
  /** Undefined when the whole object is a use. */
  readonly path?: string;
  /** `Unknown` too when there is no Feature of the gate. */
  readonly state: FeatureState;
}

export interface Requirements {
  readonly required: readonly RequiredGate[];
  /** Gates whose definitions say what a use of them is: nothing is known of others. */
  readonly definedGates: readonly string[];
  /** Objects of kinds that the cluster does not serve. */
  readonly unserved: readonly string[];
}

/** Which gates of Kubernetes objects need, by the references that the cluster's definitions declare. Writes nothing. */
export async function requiredGates(
  kube: Kube,
  objects: readonly KubeObject[],
  signal?: AbortSignal,
): Promise<Requirements> {
  const [discovery, definitions, features] = await Promise.all([
    kube.discover(signal),
    listAll(kube, FeatureDefinition, kubernetesNamespace, signal),
    listAll(kube, Feature, kubernetesNamespace, signal),
  ]);
  const states = new Map(features.map(({ spec, status }) => [spec.gate, status?.state ?? 'Unknown']));
  const defined = definitions.map(({ spec }) => spec).filter(({ references = [] }) => references.length > 0);
  return {
    required: objects.flatMap((object) =>
      requiredBy(object, defined, discovery).map((use) => ({ ...use, state: states.get(use.gate) ?? 'Unknown' })),
    ),
    definedGates: defined.map(({ gate }) => gate).sort(),
    unserved: objects.filter((object) => !resourceOf(discovery, object)).map(nameOf),
  };
}

function requiredBy(object: KubeObject, definitions: readonly FeatureDefinitionSpec[], discovery: Discovery) {
  const resource = resourceOf(discovery, object);
  const isUse = (reference: Reference) => {
    const { group, resource: plural, match } = reference;
    if (resource?.group !== group || resource.plural !== plural || !fits(match, object)) return false;
    const field = fieldOf(reference);
    return !field || usesOf(field, object).length > 0;
  };
  return definitions.flatMap(({ gate, references = [] }) =>
    references.filter(isUse).map(({ path }) => ({ gate, object: nameOf(object), ...(path !== undefined && { path }) })),
  );
}

function nameOf({ kind, metadata }: KubeObject): string {
  return `${kind} ${metadata?.namespace ? `${metadata.namespace}/` : ''}${metadata?.name ?? ''}`;
}
