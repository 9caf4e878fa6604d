import type { Condition, KubeObject, LabelSelector, ResourceRef } from '@slipway/kube';
import type { AmountsText } from '../planner/amounts.js';
import { group, version } from './group.js';
import type { FenceMode, NodeSizeSpec } from './node-size.js';

/** Selects nodes for balloons and configures these. Of several policies for one node the highest weight counts, then the name. */
export interface BalloonPolicy extends KubeObject {
  readonly spec: BalloonPolicySpec;
  readonly status?: BalloonPolicyStatus;
}

export const BalloonPolicy: ResourceRef<BalloonPolicy> = {
  group,
  version,
  kind: 'BalloonPolicy',
  plural: 'balloonpolicies',
  namespaced: false,
};

export interface BalloonPolicySpec {
  /** False restores the size of every node, then removes pods, taints and labels. */
  readonly enabled?: boolean;
  /** `kubernetes.io/os=linux` is always required too. */
  readonly nodeSelector?: LabelSelector;
  readonly weight?: number;
  /** Spec of the NodeSize that is created for a node which has none. */
  readonly default?: NodeSizeSpec;
  readonly priorityMode?: PriorityMode;
  /** Bounds of sizes. */
  readonly min?: AmountsText;
  readonly max?: AmountsText;
  /** Balloons are whole multiples of this. */
  readonly granularity?: AmountsText;
  /** A balloon never grows into this much free space. */
  readonly criticalReserve?: AmountsText;
  readonly fence?: FencePolicy;
  readonly timeouts?: Timeouts;
  readonly concurrency?: { readonly cluster?: number; readonly perFailureDomain?: number };
  readonly pod?: BalloonPodPolicy;
  /** Absent: sizes stay as written. */
  readonly autosize?: AutosizePolicy;
  /** Name of an actuator in the configuration of the controller. */
  readonly actuatorRef?: { readonly name: string };
  readonly onDisable?: 'Restore' | 'Leave';
  readonly nodeSizeRetention?: 'DeleteWithNode' | 'Keep';
}

/**
 * `Native`: the class `system-balloon` of a control plane that knows it. `Polite`: a class
 * below the critical ones that never preempts. `Protected`: a critical class on nodes
 * (1.37) that preempt for no resize. `Auto`: Native where there is one, else Polite.
 */
export type PriorityMode = 'Auto' | 'Polite' | 'Protected' | 'Native';

export interface FencePolicy {
  readonly mode?: FenceMode;
  /** How long after the taint a scheduler may still act on older state. */
  readonly settleMillis?: number;
  /** Below this much of the node free after a resize, `Auto` fences. */
  readonly headroomPercent?: number;
  /** Maximum time that a fence is up. */
  readonly maxSeconds?: number;
}

export interface Timeouts {
  readonly patchSeconds?: number;
  readonly verifySeconds?: number;
  readonly observeSeconds?: number;
  readonly rollbackSeconds?: number;
}

export interface BalloonPodPolicy {
  readonly image?: string;
  /** True takes no address from the pod network. */
  readonly hostNetwork?: boolean;
  /** `MatchRequest` where the kubelet must not let the balloon swap. */
  readonly memoryLimit?: 'None' | 'MatchRequest';
  /** Requests of a balloon that hides nothing. */
  readonly minBalloon?: AmountsText;
}

export interface AutosizePolicy {
  /** `Recommend` only reports recommended sizes. */
  readonly mode?: 'Recommend' | 'Enforce';
  /** On top of what pods ask for, in percent of it. */
  readonly headroomPercent?: number;
  /** On top of what pods ask for. */
  readonly headroom?: AmountsText;
  /** A node shrinks to the largest size wanted within this time. */
  readonly stabilizationSeconds?: number;
}

export interface BalloonPolicyStatus {
  readonly observedGeneration?: number;
  /** The mode that `Auto` came to. */
  readonly priorityMode?: Exclude<PriorityMode, 'Auto'>;
  readonly nodes?: number;
  readonly atSize?: number;
  /** Nodes that this policy selects and another one manages; at most ten. */
  readonly conflicts?: readonly { readonly node: string; readonly policy: string }[];
  readonly conditions?: readonly Condition[];
}
