import { findCondition, type Kube } from '@slipway/kube';
import { Feature } from '../api/feature.js';
import { FeatureDefinition } from '../api/feature-definition.js';
import { group, version } from '../api/group.js';
import type { Target } from '../api/target.js';
import { mergeSpec } from '../rbac/own-author.js';
import { listAll } from './list-processes.js';

/** What becomes of one Feature when what runs today is made what is wanted. */
export interface Adoption {
  readonly feature: Feature;
  /**
   * `adopt`: it is undecided, and all processes agree. `managed`: it was decided already. `reported`:
   * nothing declares the gate, so nothing can be wanted of it. `unsettled`: processes disagree, or it is on its way.
   */
  readonly kind: 'adopt' | 'managed' | 'reported' | 'unsettled';
  /** What it is today. */
  readonly value?: Target;
}

/** Looks at every Feature of a namespace. Nothing is written. */
export async function previewImport(kube: Kube, namespace: string, signal?: AbortSignal): Promise<readonly Adoption[]> {
  const [features, definitions] = await Promise.all([
    listAll(kube, Feature, namespace, signal),
    listAll(kube, FeatureDefinition, namespace, signal),
  ]);
  const declared = new Set(definitions.map(({ metadata }) => metadata.name));
  return features.map((feature): Adoption => {
    const { spec, status, metadata } = feature;
    const value = status?.state === 'On' || status?.state === 'Off' ? status.state : undefined;
    const told = value && { value };
    if (spec.desired !== undefined && spec.desired !== 'Unmanaged') return { feature, kind: 'managed', ...told };
    if (!declared.has(metadata.name)) return { feature, kind: 'reported', ...told };
    const agreed = findCondition(status?.conditions ?? [], 'UsesConsistent')?.status === 'True';
    return { feature, kind: value && agreed ? 'adopt' : 'unsettled', ...told };
  });
}

/** The manifest of an adoption, for a repository that the cluster is kept by. Processes keep being set by their own flags. */
export function manifestOf({ feature, value }: Adoption): Feature {
  const { name, namespace } = feature.metadata;
  const spec = { gate: feature.spec.gate, ...(value && { desired: value }) };
  return {
    apiVersion: `${group}/${version}`,
    kind: 'Feature',
    metadata: { ...(name !== undefined && { name }), ...(namespace !== undefined && { namespace }) },
    spec,
  };
}

/** Makes what runs today what is wanted: from then on a flag that is changed is told of instead of being followed. */
export async function adopt(kube: Kube, { feature, value }: Adoption, signal?: AbortSignal): Promise<Feature> {
  const { name = '', namespace, uid, resourceVersion } = feature.metadata;
  return mergeSpec(kube, { name, namespace }, { metadata: { uid, resourceVersion }, spec: { desired: value } }, signal);
}
