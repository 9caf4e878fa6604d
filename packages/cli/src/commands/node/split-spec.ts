import type { HostPartitionSpec } from '@slipway/balloons';
import { balloonKeys, type ObservedNode } from '@slipway/balloons';
import { CommandError, exit } from '../../runtime/exit.js';

/** The flags that say how a machine is split. */
export interface SplitOptions {
  readonly host: string;
  readonly equal?: boolean;
  readonly weights?: NonNullable<HostPartitionSpec['members']>;
  readonly remove?: string;
  readonly reserve?: NonNullable<HostPartitionSpec['reserve']>;
}

/**
 * The split that the flags ask for, over one that may be there; undefined when they ask for none.
 * @throws CommandError (usage) when they contradict each other, or name nodes that are not there.
 */
export function splitSpec(
  { host, equal, weights, remove, reserve }: SplitOptions,
  present: HostPartitionSpec | undefined,
  nodes: readonly ObservedNode[],
): HostPartitionSpec | undefined {
  if ([equal, weights, remove].filter((way) => way !== undefined).length > 1) {
    throw new CommandError(exit.usage, '--equal, --weights and --remove exclude each other', 'give one of them');
  }
  const kept = reserve ?? present?.reserve;
  const base = { host, ...(kept && { reserve: kept }) };
  const here = nodesOn(host, nodes);
  if (remove !== undefined) return { ...base, members: without(remove, present?.members ?? here.map(asMember)) };
  if (weights) return { ...base, members: requireNodes(weights, nodes) };
  if (!equal && !reserve) return undefined;
  if (!equal && present) return { ...present, ...base };
  if (here.length === 0) throw noNodes(host, nodes);
  return { ...base, equal: true };
}

function nodesOn(host: string, nodes: readonly ObservedNode[]): readonly string[] {
  return nodes.filter(({ node }) => node.labels[balloonKeys.host] === host).map(({ node }) => node.name);
}

function asMember(node: string) {
  return { node, weight: 1 };
}

type Members = NonNullable<HostPartitionSpec['members']>;

function without(remove: string, members: Members): Members {
  const left = members.filter(({ node }) => node !== remove);
  if (left.length === members.length) {
    throw new CommandError(
      exit.usage,
      `${remove} is not a member`,
      `members: ${members.map(({ node }) => node).join(', ')}`,
    );
  }
  if (left.length > 0) return left;
  throw new CommandError(exit.usage, `${remove} is the last member`, 'kubectl delete hostpartition, to split no more');
}

function requireNodes(members: Members, nodes: readonly ObservedNode[]): Members {
  const missing = members.find((member) => nodes.every(({ node }) => node.name !== member.node));
  if (!missing) return members;
  throw new CommandError(exit.usage, `there is no node "${missing.node}"`, 'take names from: slipway node list');
}

function noNodes(host: string, nodes: readonly ObservedNode[]): CommandError {
  const hosts = [...new Set(nodes.flatMap(({ node }) => node.labels[balloonKeys.host] ?? []))];
  const hint =
    hosts.length > 0
      ? `take one of these machines: ${hosts.join(', ')}`
      : `kubectl label node NAME... ${balloonKeys.host}=${host}`;
  return new CommandError(exit.usage, `no node is on the machine "${host}"`, hint);
}
