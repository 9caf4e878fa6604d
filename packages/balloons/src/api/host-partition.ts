import type { Condition, KubeObject, ResourceRef } from '@slipway/kube';
import type { AmountsText } from '../planner/amounts.js';
import { group, version } from './group.js';

/** Several kubelets on one machine, each of which reports all of it: this splits it between them. */
export interface HostPartition extends KubeObject {
  readonly spec: HostPartitionSpec;
  readonly status?: HostPartitionStatus;
}

export const HostPartition: ResourceRef<HostPartition> = {
  group,
  version,
  kind: 'HostPartition',
  plural: 'hostpartitions',
  namespaced: false,
};

export interface HostPartitionSpec {
  /** Label of the nodes on the machine; `balloons.slipway.dev/host` when absent. */
  readonly hostLabel?: string;
  /** Its value. */
  readonly host: string;
  /** Kept for the machine itself. */
  readonly reserve?: AmountsText;
  /** Either shares for these nodes only... */
  readonly members?: readonly { readonly node: string; readonly weight?: number }[];
  /** ...or the same for every node with the label. */
  readonly equal?: boolean;
}

export interface HostPartitionStatus {
  readonly observedGeneration?: number;
  /** The least that a member says the machine has. */
  readonly capacity?: AmountsText;
  readonly shares?: readonly { readonly node: string; readonly size: AmountsText }[];
  /** Kubelets on the machine that are no members, and what they have: it is not there for members. */
  readonly others?: readonly { readonly node: string; readonly size: AmountsText }[];
  readonly conditions?: readonly Condition[];
}
