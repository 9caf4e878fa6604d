import type { Condition, KubeObject, ResourceRef } from '@slipway/kube';
import type { AmountsText } from '../planner/amounts.js';
import type { Direction } from '../planner/plan-size.js';
import { group, version } from './group.js';

/** How large one node shall be. It has the name of its node; there is one for each node that a policy manages. */
export interface NodeSize extends KubeObject {
  readonly spec: NodeSizeSpec;
  readonly status?: NodeSizeStatus;
}

export const NodeSize: ResourceRef<NodeSize> = {
  group,
  version,
  kind: 'NodeSize',
  plural: 'nodesizes',
  namespaced: false,
};

/**
 * `Size`: what pods may use stays constant. `Balloon`: what is hidden stays constant, so
 * that the size follows the hardware. `Fraction`: a part of what there is. `Full`:
 * nothing is hidden. `External`: somebody else resizes the balloon pod, we only look.
 */
export type SizeMode = 'Size' | 'Balloon' | 'Fraction' | 'Full' | 'External';

/** Written by people, the command line, the autosizer, a partition or a cloud: each with a field manager of its own. */
export interface NodeSizeSpec {
  readonly mode?: SizeMode;
  /** A resource that is not named stays full. */
  readonly size?: AmountsText;
  readonly balloon?: AmountsText;
  /** `1/4` */
  readonly fraction?: string;
  /** `Exact` changes nothing when it does not fit; `BestEffort` goes as far as it can. */
  readonly fit?: 'Exact' | 'BestEffort';
  readonly fence?: FenceMode;
  /** For the whole resize, an actuator's work apart; seconds. */
  readonly deadlineSeconds?: number;
  /** Of the caller; comes back in status. */
  readonly requestID?: string;
  readonly paused?: boolean;
}

/** Whether new pods are kept away while a balloon grows. `Auto`: when little room would stay. */
export type FenceMode = 'Auto' | 'Always' | 'Never';

/** Written by the controller that leads. */
export interface NodeSizeStatus {
  readonly observedGeneration?: number;
  readonly observedRequestID?: string;
  readonly nodeUID?: string;
  readonly policy?: string;
  readonly kubeletVersion?: string;
  readonly podRef?: { readonly namespace: string; readonly name: string; readonly uid: string };
  /** `status.capacity` of the node. */
  readonly hardware?: AmountsText;
  readonly allocatable?: AmountsText;
  /** allocatable - balloon: what pods may use. */
  readonly size?: AmountsText;
  /** What other pods ask for. Written when it has moved by 5 % or more, or 30 s later. */
  readonly requested?: AmountsText;
  /** size - requested */
  readonly free?: AmountsText;
  readonly balloon?: BalloonAmounts;
  /** The smallest size that can be reached now. */
  readonly floor?: AmountsText;
  /** What the autosizer would make of it, or does where it is to; absent where no policy asks for it. */
  readonly recommended?: AmountsText;
  readonly actuator?: ActuatorStatus;
  /** The resize at work. Nothing is written to a pod before its ticket is. */
  readonly resize?: Ticket;
  readonly lastResize?: FinishedResize;
  /** The last ten. */
  readonly history?: readonly FinishedResize[];
  readonly conditions?: readonly Condition[];
}

export interface BalloonAmounts {
  /** What the pod's spec asks for. */
  readonly desired?: AmountsText;
  /** What the kubelet has set aside. */
  readonly allocated?: AmountsText;
  /** What the container runs with; only where it stays other than `allocated`. */
  readonly actual?: AmountsText;
}

export interface ActuatorStatus {
  readonly name: string;
  readonly phase: 'InSync' | 'Growing' | 'Shrinking' | 'Unknown' | 'Error';
  /** What the actuator says exists. */
  readonly granted?: AmountsText;
  readonly operationID?: string;
  readonly message?: string;
}

/** What is done first; written anew only where a machine takes its time, since each write of a status costs one. */
export type TicketPhase = 'GrowingHardware' | 'Fencing' | 'Resizing' | 'ShrinkingHardware';

/** What is about to happen to one balloon, written before it happens. */
export interface Ticket {
  readonly id: string;
  readonly direction: Direction;
  readonly phase: TicketPhase;
  readonly from: AmountsText;
  readonly to: AmountsText;
  readonly podUID: string;
  readonly startedAt: string;
  readonly deadline: string;
  /** Generation of the spec that it carries out. */
  readonly generation: number;
  readonly fenced: boolean;
}

export type ResizeResult =
  | 'Succeeded'
  | 'Partial'
  | 'NoChange'
  | 'DoesNotFit'
  | 'RolledBack'
  | 'Infeasible'
  | 'TimedOut'
  | 'Rejected'
  | 'PodReplaced'
  | 'NodeGone'
  | 'Superseded'
  | 'ActuatorFailed';

export interface FinishedResize {
  readonly id: string;
  readonly direction: Direction;
  readonly from: AmountsText;
  readonly to: AmountsText;
  readonly result: ResizeResult;
  readonly reason: string;
  readonly message: string;
  readonly finishedAt: string;
  readonly durationMs: number;
}
