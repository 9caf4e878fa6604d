import { findCondition } from '@slipway/kube';
import type { HostPartition } from '../api/host-partition.js';

/** How the nodes of one machine share it. */
export interface PartitionAccount {
  readonly host: string;
  /** Whether each member has its share, and what is wrong otherwise, in one sentence. */
  readonly text: string;
  /** Each member with its share, such as `2 / 4Gi`. */
  readonly shares: readonly { readonly node: string; readonly share: string }[];
  /** Nodes on the machine without a share: they keep their sizes, which members do not get. */
  readonly others: readonly string[];
}

export function partitionAccount({ spec, status = {} }: HostPartition): PartitionAccount {
  const balanced = findCondition(status.conditions, 'Balanced');
  return {
    host: spec.host,
    text: balanced?.message ?? 'no controller has looked at it',
    shares: (status.shares ?? []).map(({ node, size }) => ({ node, share: `${size.cpu ?? 0} / ${size.memory ?? 0}` })),
    others: (status.others ?? []).map(({ node }) => node),
  };
}
