import {
  formatAmounts,
  type HostPartitionSpec,
  membersOf,
  parseAmounts,
  planPartition,
  previewSize,
  readPolicy,
} from '@slipway/balloons';
import type { ObservedNode } from './observe-nodes.js';
import { policyFor } from './request-size.js';

/** What one node would have of its machine. */
export interface SharePreview {
  readonly node: string;
  readonly size: { readonly cpu: string; readonly memory: string };
  /** Why it cannot have just that. */
  readonly problem: string | undefined;
}

/** The shares of a split, and what stands in their way, by the rules that the controllers have. */
export function previewPartition(
  spec: HostPartitionSpec,
  nodes: readonly ObservedNode[],
): { readonly capacity: { readonly cpu: string; readonly memory: string }; readonly shares: readonly SharePreview[] } {
  const byName = new Map(nodes.map((observed) => [observed.node.name, observed]));
  const members = membersOf(
    spec,
    nodes.map(({ node }) => node),
    (node) => byName.get(node)?.size,
  );
  const { capacity, shares } = planPartition({ members, reserve: parseAmounts(spec.reserve) });
  return {
    capacity: formatAmounts(capacity),
    shares: [...shares].map(([node, share]) => {
      const size = formatAmounts(share);
      const observed = byName.get(node);
      return { node, size, problem: observed && problemOf(observed, size) };
    }),
  };
}

function problemOf(observed: ObservedNode, size: SharePreview['size']): string | undefined {
  const { balloon, numbers } = observed;
  const { limits } = readPolicy(policyFor(observed));
  const allocated = balloon?.bound ? balloon.allocated : undefined;
  const preview = previewSize({ ...numbers, balloon: allocated, limits, spec: { mode: 'Size', size } });
  return preview.kind === 'impossible' ? preview.message : undefined;
}
