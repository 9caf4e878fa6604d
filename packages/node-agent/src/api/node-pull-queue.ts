import type { KubeObject, ResourceRef } from '@slipway/kube';
import { group, version } from './group.js';

/** The image pulls of one node, as its agent last read them from the pull daemon. It has the name of its Node, which owns it. */
export interface NodePullQueue extends KubeObject {
  readonly spec: NodePullQueueSpec;
}

/** Times are RFC 3339. */
export interface NodePullQueueSpec {
  /** Pulls at once; 0 means unlimited. */
  readonly limit: number;
  /** `bypass`, `manual`, `cluster`, `configuration` or the path of a kubelet's configuration. */
  readonly limitSource: string;
  /** The PullLimit that counts for this node. Its limit applies while `limitSource` is `cluster`. */
  readonly pullLimit?: { readonly name: string; readonly generation: number };
  readonly paused: boolean;
  /** Whether the container runtime answers. */
  readonly runtimeUp: boolean;
  /** The first `maxListed`, the oldest first. */
  readonly running: readonly RunningPull[];
  readonly runningCount: number;
  /** The first `maxListed`, in the order in which they start. */
  readonly waiting: readonly QueuedPull[];
  readonly waitingCount: number;
  /** When the agent last confirmed all of it. */
  readonly renewTime: string;
  /** How long it counts after that. */
  readonly leaseDurationSeconds: number;
}

/** A pull, and for whom. */
export interface QueuedPull {
  readonly image: string;
  /** The first `maxPods` pods that wait for it, as `namespace/name`. */
  readonly pods: readonly string[];
  readonly callers: number;
  /** When it began to run, or to wait. */
  readonly since: string;
}

export interface RunningPull extends QueuedPull {
  /** `running`, `verifying`, `stalled` or `stopping`. */
  readonly state: string;
  /** Bytes that arrived, and of how many; absent where the container runtime does not show them. */
  readonly bytes?: number;
  readonly totalBytes?: number;
}

/** Pulls in each list: an object stays below the size that API servers accept. */
export const maxListed = 100;
/** Pods of each pull. */
export const maxPods = 5;

export const NodePullQueue: ResourceRef<NodePullQueue> = {
  group,
  version,
  kind: 'NodePullQueue',
  plural: 'nodepullqueues',
  namespaced: false,
};

/** Whether a queue was confirmed so lately that it may be shown as current. `nowMs` is wall-clock time. */
export function isCurrent({ spec }: NodePullQueue, nowMs: number): boolean {
  return nowMs - Date.parse(spec.renewTime) <= spec.leaseDurationSeconds * 1_000;
}
