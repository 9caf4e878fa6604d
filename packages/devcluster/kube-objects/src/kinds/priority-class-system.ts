import type { ResourceRef } from '@slipway/kube';

/** PriorityClass of scheduling.k8s.io/v1. */
export const priorityClasses: ResourceRef = {
  group: 'scheduling.k8s.io',
  version: 'v1',
  kind: 'PriorityClass',
  plural: 'priorityclasses',
  namespaced: false,
};

export type PreemptionPolicy = 'Never' | 'PreemptLowerPriority';

/** A priority class that every cluster has. */
export interface SystemClass {
  readonly value: number;
  readonly preemptionPolicy: PreemptionPolicy;
  readonly description: string;
}

/**
 * The class of balloon pods (KEP-5620): "as unpreemptable as system-node-critical pods, but unable to preempt other
 * pods when upsized". Not of Kubernetes itself.
 */
export const balloonClassName = 'system-balloon';

/** The priority classes that every cluster has, by name. */
export const systemClasses: ReadonlyMap<string, SystemClass> = new Map([
  [
    'system-cluster-critical',
    {
      value: 2_000_000_000,
      preemptionPolicy: 'PreemptLowerPriority',
      description:
        'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
    },
  ],
  [
    'system-node-critical',
    {
      value: 2_000_001_000,
      preemptionPolicy: 'PreemptLowerPriority',
      description: 'Used for system critical pods that must not be moved from their current node.',
    },
  ],
  [
    balloonClassName,
    {
      value: 2_000_001_000,
      preemptionPolicy: 'Never',
      description: 'Used for balloon pods: never preempted, and never preempting others, however much they grow.',
    },
  ],
]);
