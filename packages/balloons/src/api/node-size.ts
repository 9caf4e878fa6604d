import type { Condition, KubeObject, ResourceRef } from '@slipway/kube';
import type { AmountsText } from '../planner/amounts.js';
import type { Direction } from '../planner/plan-size.js';
import { group, version } from './group.js';

/** The desired size of one node. It has the name of its node; each node that a policy manages has one. */
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
 * nothing is hidden. `External`: another client resizes the balloon pod, and we only report.
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
  /** Set by the caller; repeated in `status.observedRequestID` once this spec has a result. */
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
  /** Requests of all other pods. Updated at once for changes of at least 5 % of the node, otherwise after 30 s. */
  readonly requested?: AmountsText;
  /** size - requested */
  readonly free?: AmountsText;
  readonly balloon?: BalloonAmounts;
  /** The smallest size that can be reached now. */
  readonly floor?: AmountsText;
  /** The size that the autosizer recommends or enforces; absent without autosizing. */
  readonly recommended?: AmountsText;
  readonly actuator?: ActuatorStatus;
  /** The resize in progress, stored before the pod is changed. */
  readonly resize?: Ticket;
  readonly lastResize?: FinishedResize;
  /** The last ten. */
  readonly history?: readonly FinishedResize[];
  readonly conditions?: readonly Condition[];
}

export interface BalloonAmounts {
  /** The requests in the spec of the pod. */
  readonly desired?: AmountsText;
  /** What the kubelet has allocated. */
  readonly allocated?: AmountsText;
  /** What the container runs with; only while it differs from `allocated` for longer. */
  readonly actual?: AmountsText;
}

export interface ActuatorStatus {
  readonly name: string;
  readonly phase: 'InSync' | 'Growing' | 'Shrinking' | 'Unknown' | 'Error';
  /** The size of the machine according to the actuator. */
  readonly granted?: AmountsText;
  readonly operationID?: string;
  readonly message?: string;
}

/** The first phase; updated only while an actuator works, to save writes. */
export type TicketPhase = 'GrowingHardware' | 'Fencing' | 'Resizing' | 'ShrinkingHardware';

/** A resize of one balloon, stored before it begins. */
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
