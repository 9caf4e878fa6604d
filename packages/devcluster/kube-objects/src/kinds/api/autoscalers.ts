import type { Condition, KubeObject, ResourceRef } from '@slipway/kube';
import type { AutoscalerSpecFields, MetricFields, MetricStatusFields } from '../autoscaler.js';

/** HorizontalPodAutoscaler of autoscaling/v2, defaults filled in. */
export interface HorizontalPodAutoscaler extends KubeObject {
  spec: AutoscalerSpecFields & { maxReplicas: number; metrics: MetricFields[] };
  status?: {
    readonly lastScaleTime?: string;
    readonly currentReplicas?: number;
    readonly desiredReplicas?: number;
    readonly currentMetrics?: readonly MetricStatusFields[] | null;
    readonly conditions?: readonly Condition[];
  };
}

export const horizontalPodAutoscalers: ResourceRef<HorizontalPodAutoscaler> = {
  group: 'autoscaling',
  version: 'v2',
  kind: 'HorizontalPodAutoscaler',
  plural: 'horizontalpodautoscalers',
  namespaced: true,
};

/** PodMetrics of metrics.k8s.io/v1beta1. */
export interface PodMetrics extends KubeObject {
  timestamp: string;
  window: string;
  containers: readonly { readonly name: string; readonly usage: Readonly<Record<string, string>> }[];
}

export const podMetrics: ResourceRef<PodMetrics> = {
  group: 'metrics.k8s.io',
  version: 'v1beta1',
  kind: 'PodMetrics',
  plural: 'pods',
  namespaced: true,
};
