import { type Amounts, formatAmounts, type NodeNumbers, type ObservedNode } from '@slipway/balloons';
import { exactAmounts, type NodeRow, shortAmounts } from '@slipway/balloons/views';
import type { KubeObject } from '@slipway/kube';
import type { TableColumn } from '../../output/table.js';

/** The columns of the table; `wide` shows amounts to the last byte. */
export function nodeColumns(isWide: boolean): TableColumn<NodeRow>[] {
  const amounts = isWide ? exactAmounts : shortAmounts;
  const of = (heading: string, part: keyof NodeNumbers, weight: number, wide = false): TableColumn<NodeRow> => ({
    heading,
    weight,
    wide,
    cell: ({ numbers }) => amounts(numbers[part]),
  });
  return [
    { heading: 'NODE', cell: ({ name }) => name },
    of('SIZE', 'size', 8),
    of('BALLOON', 'balloon', 3),
    of('HARDWARE', 'hardware', 2),
    of('ALLOCATABLE', 'allocatable', 0, true),
    of('REQUESTED', 'requested', 4),
    of('FREE', 'free', 7),
    { heading: 'MODE', cell: ({ mode }) => mode },
    { heading: 'STATE', weight: 9, state: true, cell: ({ state }) => state },
    { heading: 'LAST', weight: 0, cell: ({ last }) => last },
    { heading: 'POLICY', wide: true, cell: ({ policy }) => policy },
  ];
}

/** Returns a NodeSize with its numbers as quantities and as integers, for programs. */
export function nodeDocument({ node, size, numbers }: ObservedNode): object {
  const computed = Object.fromEntries(
    Object.entries(numbers).map(([part, amounts]: [string, Amounts]) => [
      part,
      { ...formatAmounts(amounts), milliCpu: Number(amounts.cpu), bytes: Number(amounts.memory) },
    ]),
  );
  const known: KubeObject = size ?? {
    apiVersion: 'balloons.slipway.dev/v1alpha1',
    kind: 'NodeSize',
    metadata: { name: node.name },
  };
  const { managedFields: _, ...metadata } = known.metadata;
  return { ...known, metadata, computed };
}
