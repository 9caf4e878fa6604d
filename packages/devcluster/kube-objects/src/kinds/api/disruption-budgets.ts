import type { Condition, KubeObject, LabelSelector, ResourceRef } from '@slipway/kube';
import type { IntOrPercent } from './workloads.js';

/** PodDisruptionBudget of policy/v1. */
export interface PodDisruptionBudget extends KubeObject {
  spec: {
    minAvailable?: IntOrPercent;
    maxUnavailable?: IntOrPercent;
    /** Absent: no pods; empty: all pods of the namespace. */
    selector?: LabelSelector;
    unhealthyPodEvictionPolicy?: 'IfHealthyBudget' | 'AlwaysAllow';
  };
  status?: DisruptionBudgetStatus;
}

export interface DisruptionBudgetStatus {
  readonly observedGeneration?: number;
  /** Pods whose eviction was granted and that are still there: name -> since when. */
  readonly disruptedPods?: Readonly<Record<string, string>>;
  readonly disruptionsAllowed: number;
  readonly currentHealthy: number;
  readonly desiredHealthy: number;
  readonly expectedPods: number;
  readonly conditions?: readonly Condition[];
}

export const podDisruptionBudgets: ResourceRef<PodDisruptionBudget> = {
  group: 'policy',
  version: 'v1',
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
  namespaced: true,
};
