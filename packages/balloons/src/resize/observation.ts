import type { NodeSize } from '../api/node-size.js';
import type { NodeView } from '../nodes/node-view.js';
import type { Amounts } from '../planner/amounts.js';
import type { BalloonPod } from '../pods/balloon-pod.js';
import type { PolicySettings } from '../settings/policy-settings.js';

/** The state of one node by which the controller decides what to do. */
export interface Observation {
  readonly size: NodeSize;
  readonly node: NodeView;
  readonly policy: PolicySettings;
  readonly pod: BalloonPod | undefined;
  /** Effective requests of all other pods on the node. */
  readonly requested: Amounts;
  /** A pod of the node waits to be resized to more. */
  readonly awaited: boolean;
  /** For how many milliseconds a resize that failed is not repeated. */
  readonly heldMs: number;
  /** Another policy that has as good a claim to the node. */
  readonly rival: string | undefined;
  /** The size that the autosizer recommends, if any. */
  readonly recommended: Amounts | undefined;
  /** How long ago the status was last written, in milliseconds. */
  readonly quietMs: number;
  /** Whether the kubelet resizes no memory of this balloon pod, because it may swap. */
  readonly memoryStuck: boolean;
  /** Whether the actuator that the policy names is in the configuration. */
  readonly actuator: 'none' | 'known' | 'missing';
}

/** Whether the NodeSize is being deleted. */
export function isDeleted({ metadata }: NodeSize): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** Whether the node gets back all of its hardware, whatever its spec says. */
export function isGivenBack({ size, policy }: Observation): boolean {
  return !policy.enabled || isDeleted(size);
}

/** Whether the spec has a result. */
export function isSpecObserved({ metadata, status }: NodeSize): boolean {
  return status?.observedGeneration === metadata.generation;
}
