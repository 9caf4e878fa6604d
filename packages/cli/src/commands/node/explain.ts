import { type Amounts, formatAmounts, type ObservedNode, requestedBy } from '@slipway/balloons';
import { exactAmounts, inWords } from '@slipway/balloons/views';
import { findCondition, isConditionTrue, type KubeObject } from '@slipway/kube';
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

/** A pod and what it takes of its node. */
interface Taker {
  readonly pod: string;
  readonly amounts: Amounts;
  readonly owner: string;
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
  const next = nextStep(node, takers);
  const pods = takers.map(({ amounts, ...taker }) => ({ ...taker, requested: formatAmounts(amounts) }));
  const text = `${describeNode(node, Date.now())}\n${takersTable(takers)}\n${next.why}\nNext: ${next.command}\n`;
  return renderOutcome(format, text, { ...nodeDocument(node), pods, next });
}

/** The pods that take something, those that take most first. */
export function takersOf(pods: readonly KubeObject[]): readonly Taker[] {
  return pods
    .map((pod) => ({
      pod: `${pod.metadata.namespace}/${pod.metadata.name}`,
      amounts: requestedBy(pod),
      owner: pod.metadata.ownerReferences?.map(({ kind, name }) => `${kind} ${name}`).join(', ') ?? '',
    }))
    .filter(({ amounts }) => amounts.cpu > 0n || amounts.memory > 0n)
    .sort((a, b) => Number(b.amounts.cpu - a.amounts.cpu) || Number(b.amounts.memory - a.amounts.memory));
}

function takersTable(takers: readonly Taker[]): string {
  if (takers.length === 0) return 'No pod on it asks for cpu or memory.\n';
  return renderTable(takers, [
    { heading: 'POD', cell: ({ pod }) => pod },
    { heading: 'REQUESTED', cell: ({ amounts }) => exactAmounts(amounts) },
    { heading: 'OWNER', cell: ({ owner }) => owner },
  ]);
}

/** Why it is as it is, in one sentence, and the command that comes next. */
export function nextStep(
  { node, size, numbers }: Pick<ObservedNode, 'node' | 'size' | 'numbers'>,
  [largest]: readonly Taker[],
): { readonly why: string; readonly command: string } {
  const { conditions, resize, lastResize } = size?.status ?? {};
  const set = `slipway node size ${node.name}`;
  if (!size) return { why: 'Nothing manages the node, so it is whole.', command: `${set} --fraction 1/2` };
  if (resize) return { why: `A resize is at work: ${resize.phase}.`, command: `slipway node explain ${node.name}` };
  if (isConditionTrue(conditions, 'Degraded')) {
    return {
      why: `Something is wrong: ${findCondition(conditions, 'Degraded')?.message}.`,
      command: 'slipway node list',
    };
  }
  if (isConditionTrue(conditions, 'Ready')) {
    return {
      why: `It has the size it should: ${inWords(numbers.size)}, of which ${inWords(numbers.free)} are free.`,
      command: 'nothing is to be done',
    };
  }
  const why = findCondition(conditions, 'Ready')?.message ?? 'No controller has looked at it yet';
  if (lastResize?.result !== 'DoesNotFit' || !largest)
    return { why: `It waits: ${why}.`, command: `${set} --full gives it everything back` };
  const [namespace, pod] = largest.pod.split('/');
  const command = `make room (kubectl -n ${namespace} describe pod ${pod}: it asks for most), or give the size with --best-effort`;
  return { why: `It waits: ${why}.`, command };
}
