import type { KubeObject, LabelSelector, ResourceRef } from '@slipway/kube';
import { group, version } from './group.js';

/** Limits how many images nodes pull at once. Of several for one node the highest priority counts, then the oldest, then the name. */
export interface PullLimit extends KubeObject {
  readonly spec: PullLimitSpec;
}

export interface PullLimitSpec {
  /** All nodes when absent or empty. */
  readonly nodeSelector?: LabelSelector;
  /** Default: 0. */
  readonly priority?: number;
  /** 0 means unlimited. */
  readonly maxParallelImagePulling: number;
}

export const PullLimit: ResourceRef<PullLimit> = {
  group,
  version,
  kind: 'PullLimit',
  plural: 'pulllimits',
  namespaced: false,
};
