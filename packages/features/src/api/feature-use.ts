import type { KubeObject, ResourceRef } from '@slipway/kube';
import { group, version } from './group.js';

/** What one process runs, as a pointer to the vector of all its gates. One write per process and heartbeat. */
export interface FeatureUse extends KubeObject {
  readonly spec: FeatureUseSpec;
}

export const FeatureUse: ResourceRef<FeatureUse> = {
  group,
  version,
  kind: 'FeatureUse',
  plural: 'featureuses',
  namespaced: true,
};

export interface FeatureUseSpec {
  readonly component: string;
  /** Node or pod name: unique among the processes of the component. */
  readonly instance: string;
  readonly node?: string;
  /** New for every start of the process. */
  readonly incarnation: string;
  readonly startTime?: string;
  readonly binaryVersion: string;
  readonly emulationVersion?: string;
  readonly minCompatibilityVersion?: string;
  readonly source: 'Library' | 'Metrics' | 'Declared' | 'StaticPod' | 'Lease';
  /** Name of a FeatureVector in the same namespace. */
  readonly vector: string;
  /** Which gates were asked for: bit i of the base64 bitmap is gate i of the vector's sorted list. */
  readonly queried?: string;
  /** The newest epoch the process had seen when it wrote this. */
  readonly epoch?: number;
  readonly renewTime?: string;
  readonly leaseDurationSeconds?: number;
}
