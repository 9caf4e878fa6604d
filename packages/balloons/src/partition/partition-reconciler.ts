import { type Condition, type Kube, type Lister, type Reconciler, sameJson, setCondition } from '@slipway/kube';
import { keys } from '../api/group.js';
import { HostPartition, type HostPartitionSpec, type HostPartitionStatus } from '../api/host-partition.js';
import type { NodeSize, NodeSizeSpec } from '../api/node-size.js';
import { claimantsOf, claimSize, sizeManagers } from '../nodes/claim-size.js';
import { type NodeView, readNode } from '../nodes/node-view.js';
import { type Amounts, formatAmounts, nothing, parseAmounts, perResource } from '../planner/amounts.js';
import { readWish, wantedSize } from '../planner/size-wish.js';
import { OwnWrites } from '../world/own-writes.js';
import { type OtherKubelet, type PartitionMember, type PartitionPlan, planPartition } from './plan-partition.js';

export interface PartitionReconcilerDeps {
  readonly kube: Kube;
  readonly partitions: Lister<HostPartition>;
  readonly nodes: Lister;
  readonly sizes: Lister<NodeSize>;
}

/** Sizes written at a time. */
const writesAtOnce = 50;

/**
 * Keeps the NodeSizes of a machine's kubelets at their shares. What others declare by
 * server-side apply is left to them, and said. A partition that is deleted leaves sizes as they
 * are: to let them grow would promise the machine several times over.
 */
export function partitionReconciler(deps: PartitionReconcilerDeps): Reconciler {
  const { kube, partitions, nodes } = deps;
  const own = new OwnWrites<NodeSize>();
  // What was written a moment ago counts, also where the cache does not know of it yet.
  const sizeOf = (name: string) => {
    const size = deps.sizes.get({ name });
    return size && own.newest(size);
  };
  return async ({ name }, { signal, now }) => {
    const partition = partitions.get({ name });
    if (!partition || partition.metadata.deletionTimestamp) return;
    const views = nodes.list().map(readNode);
    const members = membersOf(partition.spec, views, sizeOf);
    const others = othersOf(partition, views, sizeOf);
    const plan = planPartition({ members, others, reserve: parseAmounts(partition.spec.reserve) });
    const ready = new Set(members.filter(({ node }) => sizeOf(node)).map(({ node }) => node));
    const contested = members.flatMap(({ node }) => contestedBy(node, sizeOf(node)));
    const isTheirs = (name: string) => contested.some(({ node }) => node === name);
    const writes = [...plan.writes].filter(([node]) => ready.has(node) && !isTheirs(node));
    for (let at = 0; at < writes.length; at += writesAtOnce) {
      const some = writes.slice(at, at + writesAtOnce);
      await Promise.all(some.map(([node, share]) => claim(sizeOf(node), share, signal)));
    }
    const found = { members: members.length, others, unmanaged: members.length - ready.size, contested };
    const status = statusOf(partition, plan, found, now());
    if (sameJson(partition.status ?? {}, status)) return;
    await kube.resource(HostPartition).replaceStatus({ ...partition, status }, { signal });
  };

  async function claim(size: NodeSize | undefined, share: Amounts, signal: AbortSignal): Promise<void> {
    if (size) own.note(size, await claimSize(kube, size, share, { fieldManager: sizeManagers.partition, signal }));
  }
}

/** The kubelets a partition is about, each with what it has and what it was promised. */
export function membersOf(
  { hostLabel = keys.host, host, members, equal }: HostPartitionSpec,
  nodes: readonly NodeView[],
  sizeOf: (node: string) => NodeSize | undefined,
): readonly PartitionMember[] {
  const weights = new Map(members?.map(({ node, weight = 1 }) => [node, weight]));
  return nodes
    .filter(({ name, labels }) => (equal ? labels[hostLabel] === host : weights.has(name)))
    .map((node) => memberOf(node, weights.get(node.name) ?? 1, sizeOf(node.name)))
    .sort((a, b) => (a.node < b.node ? -1 : 1));
}

/**
 * The kubelets on the machine that are no members: those with its label, and those that once were members, until
 * they are deleted or labelled as being on another machine.
 */
export function othersOf(
  { spec, status = {} }: Pick<HostPartition, 'spec' | 'status'>,
  nodes: readonly NodeView[],
  sizeOf: (node: string) => NodeSize | undefined,
): readonly OtherKubelet[] {
  const { hostLabel = keys.host, host } = spec;
  const members = new Set(membersOf(spec, nodes, sizeOf).map(({ node }) => node));
  const known = new Set([...(status.shares ?? []), ...(status.others ?? [])].map(({ node }) => node));
  return nodes
    .filter(({ name, labels }) => {
      const label = labels[hostLabel];
      return !members.has(name) && (label === host || (label === undefined && known.has(name)));
    })
    .map((node) => memberOf(node, 1, sizeOf(node.name)))
    .sort((a, b) => (a.node < b.node ? -1 : 1));
}

function memberOf(node: NodeView, weight: number, size: NodeSize | undefined): PartitionMember {
  const { name, hardware, allocatable } = node;
  const { status } = size ?? {};
  const isThisNode = status?.nodeUID === node.uid && status.balloon !== undefined;
  return {
    node: name,
    weight,
    hardware,
    allocatable,
    size: isThisNode ? parseAmounts(status.size) : allocatable,
    wanted: size ? wantedOf(size.spec, allocatable) : allocatable,
  };
}

/** A node whose size another client sets may take the whole machine at any moment. */
function wantedOf(spec: NodeSizeSpec, allocatable: Amounts): Amounts {
  if (spec.mode === 'External') return allocatable;
  const wish = readWish(spec);
  return perResource((resource) => wantedSize(wish[resource], allocatable[resource]));
}

/** A size that another client sets, and would set again. */
interface Contested {
  readonly node: string;
  readonly manager: string;
}

/** The autosizer keeps away from sizes that a partition says, so it does not compete. */
function contestedBy(node: string, size: NodeSize | undefined): readonly Contested[] {
  const ours: readonly string[] = Object.values(sizeManagers);
  const others = size ? claimantsOf(size).filter((each) => !ours.includes(each)) : [];
  return others.slice(0, 1).map((manager) => ({ node, manager }));
}

interface Found {
  readonly members: number;
  readonly others: readonly OtherKubelet[];
  readonly unmanaged: number;
  readonly contested: readonly Contested[];
}

function statusOf(partition: HostPartition, plan: PartitionPlan, found: Found, nowMs: number): HostPartitionStatus {
  const { members } = found;
  const shares = [...plan.shares].map(([node, size]) => ({ node, size: formatAmounts(size) }));
  const isBalanced = plan.balanced && members > 0;
  const told: readonly Omit<Condition, 'lastTransitionTime'>[] = [
    { type: 'Balanced', status: isBalanced ? 'True' : 'False', ...whyBalanced(plan, found) },
    {
      type: 'Oversubscribed',
      status: plan.oversubscribed ? 'True' : 'False',
      reason: plan.oversubscribed ? 'SizesExceedHost' : 'SizesFit',
      message: plan.oversubscribed
        ? 'kubelets promise more than the machine has beside its reserve'
        : 'kubelets promise no more than the machine has beside its reserve',
    },
    {
      type: 'HardwareDiffers',
      status: plan.hardwareDiffers ? 'True' : 'False',
      reason: plan.hardwareDiffers ? 'MembersDisagree' : 'MembersAgree',
      message: plan.hardwareDiffers
        ? 'members say different things about the machine; the least counts'
        : 'members say the same about the machine',
    },
  ];
  return {
    observedGeneration: partition.metadata.generation ?? 0,
    capacity: formatAmounts(members > 0 ? plan.capacity : nothing),
    // Who has been a member is read from here, so shares outlive a time in which there are none.
    shares: plan.crowded ? (partition.status?.shares ?? []) : shares,
    ...(found.others.length > 0 && {
      others: found.others.map(({ node, size }) => ({ node, size: formatAmounts(size) })),
    }),
    conditions: told.reduce<readonly Condition[]>(
      (all, condition) => setCondition(all, condition, nowMs),
      partition.status?.conditions ?? [],
    ),
  };
}

function whyBalanced(
  { balanced, crowded, shrinking }: PartitionPlan,
  { members, others, unmanaged, contested: [theirs] }: Found,
) {
  if (members === 0) return { reason: 'NoMembers', message: 'no node is on the machine' };
  if (crowded) {
    const named = others.map(({ node }) => node).join(', ');
    return { reason: 'Crowded', message: `nodes on the machine that are no members may use all of it: ${named}` };
  }
  if (unmanaged > 0) {
    return { reason: 'Unmanaged', message: `no policy manages ${unmanaged} of the members` };
  }
  if (theirs && !balanced) {
    const message = `the size of ${theirs.node} is applied by ${theirs.manager}, which would write it again`;
    return { reason: 'Contested', message };
  }
  if (balanced) return { reason: 'EverybodyHasItsShare', message: `each of ${members} kubelets has its share` };
  if (shrinking.length === 0) return { reason: 'Growing', message: 'kubelets grow to their shares' };
  const named = shrinking.slice(0, 5).join(', ');
  const more = shrinking.length > 5 ? ` and ${shrinking.length - 5} more` : '';
  return { reason: 'Shrinking', message: `no member may grow until these have shrunk: ${named}${more}` };
}
