import { formatAmounts, type ObservedNode } from '@slipway/balloons';
import { exactAmounts, nextOfNode, type Taker, takersOf } from '@slipway/balloons/views';
import type { Command } from 'commander';
import type { Content } from '../../output/content.js';
import type { Format } from '../../output/format.js';
import { outcomeOption, renderOutcome } from '../../output/outcome.js';
import { renderTable } from '../../output/table.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { type ClusterOptions, connect, withCluster } from '../../runtime/connect.js';
import { describeNode } from './describe-node.js';
import { nodeDocument } from './node-rows.js';
import { observeNodes } from './observe-nodes.js';

interface Options extends ClusterOptions {
  readonly format: Format;
}

/** `slipway node explain`. */
export function explain({ terminal, signal }: Invocation): Command {
  return withCluster(
    newCommand('explain', 'Explain the size of a node: its pods, its smallest size, what to do next', [
      'slipway node explain vm-1',
      'slipway node explain vm-1 -o json',
    ]),
  )
    .argument('<node>', 'name of the node')
    .addOption(outcomeOption())
    .action(async (name: string, { format, ...cluster }: Options) => {
      const kube = await connect(cluster);
      const observed = await observeNodes(kube, { names: [name] }, signal);
      for (const node of observed) terminal.out(explanation(node, format));
    });
}

function explanation(node: ObservedNode, format: Format): string | Content {
  const takers = takersOf(node.pods);
  const { why, command = 'nothing is to be done' } = nextOfNode(node, takers);
  const pods = takers.map(({ amounts, ...taker }) => ({ ...taker, requested: formatAmounts(amounts) }));
  const text = `${describeNode(node, Date.now())}\n${takersTable(takers)}\n${why}\nNext: ${command}\n`;
  return renderOutcome(format, text, { ...nodeDocument(node), pods, next: { why, command } });
}

function takersTable(takers: readonly Taker[]): string {
  if (takers.length === 0) return 'No pod on it asks for cpu or memory.\n';
  return renderTable(takers, [
    { heading: 'POD', cell: ({ pod }) => pod },
    { heading: 'REQUESTED', cell: ({ amounts }) => exactAmounts(amounts) },
    { heading: 'OWNER', cell: ({ owner }) => owner },
  ]);
}
