import type { Condition, KubeObject, ResourceRef } from '@slipway/kube';
import type { TaintEffect } from './pods.js';

/** Node of core/v1, as far as scheduler and kubelets look at it. */
export interface Node extends KubeObject {
  spec?: {
    unschedulable?: boolean;
    taints?: readonly Taint[];
    podCIDR?: string;
    podCIDRs?: readonly string[];
    providerID?: string;
    /** From 1.37 on, behind a gate: while the list is not empty, no pod is preempted for a resize on this node. */
    podPreemptionPolicy?: { readonly disableResizePreemption?: readonly string[] };
  };
  status?: NodeStatus;
}

export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: TaintEffect;
  /** When a controller added it. */
  readonly timeAdded?: string;
}

export interface NodeStatus {
  readonly capacity?: Readonly<Record<string, string>>;
  readonly allocatable?: Readonly<Record<string, string>>;
  readonly conditions?: readonly NodeCondition[];
  readonly addresses?: readonly { readonly type: string; readonly address: string }[];
  /** From 1.36 on, sorted. */
  readonly declaredFeatures?: readonly string[];
  readonly nodeInfo?: Readonly<Record<string, string>>;
  readonly daemonEndpoints?: { readonly kubeletEndpoint: { readonly Port: number } };
  readonly images?: readonly { readonly names?: readonly string[]; readonly sizeBytes?: number }[];
}

export interface NodeCondition extends Condition {
  lastHeartbeatTime: string;
}

export const nodes: ResourceRef<Node> = { group: '', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false };
