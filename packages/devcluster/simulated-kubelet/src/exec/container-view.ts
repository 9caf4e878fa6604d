import type { RunningContainer } from '@slipway/kube-objects/node-connection/node-connection';
import type { PodNetwork } from '../ports/pod-network.js';
import type { PodDisk } from './pod-disk.js';

/** A container as a process in it sees it. */
export interface ContainerView extends RunningContainer {
  /** What the containers of the pod have written. */
  readonly disk: PodDisk;
  /** Absent: no pod can be reached. */
  readonly network?: PodNetwork;
  /** Another number when what `pod` and `lookUp` have is not what it was. Absent: it stays. */
  readonly revision?: () => number;
}
