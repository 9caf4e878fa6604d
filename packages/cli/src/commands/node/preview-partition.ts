import {
  formatAmounts,
  type HostPartition,
  type HostPartitionSpec,
  membersOf,
  type ObservedNode,
  othersOf,
  parseAmounts,
  planPartition,
  previewRequest,
} from '@slipway/balloons';

/** What one node would have of its machine. */
export interface SharePreview {
  readonly node: string;
  readonly size: { readonly cpu: string; readonly memory: string };
  /** Why it cannot have just that. */
  readonly problem: string | undefined;
}

export interface PartitionPreview {
  readonly capacity: { readonly cpu: string; readonly memory: string };
  readonly shares: readonly SharePreview[];
  /** Nodes on the machine without a share that leave nothing for those with one. */
  readonly crowdedBy: readonly string[];
}

/** The shares of a split, and what stands in their way, by the rules that the controllers have. */
export function previewPartition(
  spec: HostPartitionSpec,
  present: HostPartition | undefined,
  nodes: readonly ObservedNode[],
): PartitionPreview {
  const byName = new Map(nodes.map((observed) => [observed.node.name, observed]));
  const views = nodes.map(({ node }) => node);
  const sizeOf = (node: string) => byName.get(node)?.size;
  const members = membersOf(spec, views, sizeOf);
  const others = othersOf({ ...present, spec }, views, sizeOf);
  const { capacity, shares, crowded } = planPartition({ members, others, reserve: parseAmounts(spec.reserve) });
  return {
    capacity: formatAmounts(capacity),
    crowdedBy: crowded ? others.map(({ node }) => node) : [],
    shares: [...shares].map(([node, share]) => {
      const size = formatAmounts(share);
      const observed = byName.get(node);
      return { node, size, problem: observed && problemOf(observed, size) };
    }),
  };
}

function problemOf(observed: ObservedNode, size: SharePreview['size']): string | undefined {
  const preview = previewRequest(observed, { mode: 'Size', size });
  return preview.kind === 'impossible' ? preview.message : undefined;
}
