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

export interface GateValue {
  readonly name: string;
  readonly enabled: boolean;
  readonly default?: boolean;
  readonly stage?: string;
  /** A person typed it: a flag or a configuration file pins it. */
  readonly set?: boolean;
  readonly locked?: boolean;
  /** The process read two values in one life; it agrees with neither. */
  readonly mixed?: boolean;
  /** The process takes the value its Feature publishes, unless one was typed. */
  readonly follows?: boolean;
  /** Another value is published, and takes effect with the next start. */
  readonly pendingRestart?: boolean;
  /** The published value is not in effect; the FeatureUse says why. */
  readonly refused?: boolean;
  /** Flag that the gate comes with, so that only the command line can set it. */
  readonly config?: string;
}
