import { secondsText, sizeText } from '@slipway/image-pulls/views';
import { hasReason, type Kube } from '@slipway/kube';
import { isCurrent, NodePullQueue, type NodePullQueueSpec, type RunningPull } from '@slipway/node-agent/kinds';
import { renderAge } from '../../output/duration.js';
import type { TableColumn } from '../../output/table.js';
import { CommandError, exit } from '../../runtime/exit.js';

/** The queue of one node, and whether it was confirmed lately: otherwise its pulls are those of another time. */
export interface NodeQueue extends NodePullQueueSpec {
  readonly node: string;
  readonly isCurrent: boolean;
}

/** A pull of some node as a line of a table. */
export interface ClusterPull extends Partial<Pick<RunningPull, 'state' | 'bytes' | 'totalBytes'>> {
  readonly node: string;
  readonly image: string;
  readonly pods: readonly string[];
  readonly callers: number;
  readonly since: string;
  /** Position in the queue, from 1; 0 when it runs. */
  readonly position: number;
}

/**
 * Reads the queues that node agents publish, sorted by node.
 * @param node only this one
 * @throws CommandError (cluster) where the cluster does not know the kind
 */
export async function readNodeQueues(
  kube: Kube,
  node: string | undefined,
  nowMs: number,
  signal: AbortSignal,
): Promise<readonly NodeQueue[]> {
  const queues: NodePullQueue[] = [];
  const fieldSelector = node === undefined ? undefined : `metadata.name=${node}`;
  try {
    for await (const page of kube.resource(NodePullQueue).pages({ fieldSelector, signal })) queues.push(...page.items);
  } catch (error) {
    if (!hasReason(error, 'NotFound')) throw error;
    throw new CommandError(exit.cluster, 'the cluster has no NodePullQueues', 'slipway install --only node-agent', {
      cause: error,
    });
  }
  const named = queues.map((queue) => {
    return { node: queue.metadata.name ?? '', isCurrent: isCurrent(queue, nowMs), ...queue.spec };
  });
  return named.toSorted((a, b) => (a.node < b.node ? -1 : 1));
}

/** Lists the pulls of nodes whose agents report: those that run, then those that wait, node by node. */
export function clusterPulls(queues: readonly NodeQueue[]): readonly ClusterPull[] {
  return queues
    .filter(({ isCurrent }) => isCurrent)
    .flatMap(({ node, running, waiting }) => [
      ...running.map((pull) => ({ ...pull, node, position: 0 })),
      ...waiting.map((pull, index) => ({ ...pull, node, position: index + 1 })),
    ]);
}

/** Says how many nodes report, what they pull, and which nodes are not shown. */
export function clusterHeadline(queues: readonly NodeQueue[], nowMs: number): string {
  const [current, silent] = [true, false].map((is) => queues.filter((queue) => queue.isCurrent === is));
  const sum = (of: 'runningCount' | 'waitingCount') => (current ?? []).reduce((total, queue) => total + queue[of], 0);
  const nodes = current?.length === 1 ? '1 node' : `${current?.length ?? 0} nodes`;
  const shown = `${sum('runningCount')} running, ${sum('waitingCount')} waiting on ${nodes}\n`;
  const lines = (silent ?? []).map(
    ({ node, renewTime }) => `${node} last reported ${renderAge(renewTime, nowMs)} ago; its pulls are not known\n`,
  );
  const fix = lines.length === 0 ? '' : 'To fix: see to the slipway-node-agent and the pull daemon of these nodes\n';
  return shown + lines.join('') + fix;
}

/** The columns of `slipway pulls list -A`. */
export function clusterPullColumns(nowMs: number): readonly TableColumn<ClusterPull>[] {
  return [
    { heading: 'NODE', cell: ({ node }) => node },
    { heading: 'IMAGE', cell: ({ image }) => image || '(unreadable)' },
    { heading: 'STATE', weight: 9, state: true, cell: stateOf },
    { heading: 'CALLERS', weight: 0, cell: ({ callers }) => String(callers) },
    { heading: 'FOR', weight: 0, cell: ({ since }) => secondsText(Math.max(0, nowMs - Date.parse(since))) },
    { heading: 'BYTES', weight: 2, cell: bytesOf },
    { heading: 'PODS', wide: true, cell: ({ pods }) => pods.join(',') || '-' },
  ];
}

function stateOf({ position, state = 'running' }: ClusterPull): string {
  return position > 0 ? `waiting, position ${position}` : state;
}

function bytesOf({ bytes, totalBytes }: ClusterPull): string {
  return bytes === undefined || totalBytes === undefined ? '-' : `${sizeText(bytes)} of ${sizeText(totalBytes)}`;
}
