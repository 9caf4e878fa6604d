import type { VectorGate } from '@slipway/feature-gates';
import type { KubeObject, ResourceRef } from '@slipway/kube';
import { group, version } from './group.js';

/**
 * Values of all gates of a process, shared by every process that runs the same.
 * Its name is a hash of its spec, and the spec never changes.
 */
export interface FeatureVector extends KubeObject {
  readonly spec: FeatureVectorSpec;
}

export const FeatureVector: ResourceRef<FeatureVector> = {
  group,
  version,
  kind: 'FeatureVector',
  plural: 'featurevectors',
  namespaced: true,
};

export interface FeatureVectorSpec {
  readonly component: string;
  readonly binaryVersion: string;
  /** Sorted by name. */
  readonly gates: readonly GateValue[];
}

/** One gate of any process that reports, with or without our library. */
export interface GateValue extends Omit<VectorGate, 'stage'> {
  readonly stage?: string;
}
