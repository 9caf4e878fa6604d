import {
  type Amounts,
  minus,
  parseAmounts,
  perResource,
  plus,
  resources,
  sameAmounts,
  sum,
  within,
} from '../planner/amounts.js';
import { hostShares } from '../planner/host-shares.js';

/** One kubelet on the machine, as it is now. */
export interface PartitionMember {
  readonly node: string;
  readonly weight: number;
  readonly hardware: Amounts;
  readonly allocatable: Amounts;
  /** What its pods may use; all of the node where nothing is known to be hidden. */
  readonly size: Amounts;
  /** What its NodeSize asks for, which it may come to at any moment. */
  readonly wanted: Amounts;
}

/** A kubelet on the machine that is not a member: it keeps its size, which is not there for members. */
export type OtherKubelet = Pick<PartitionMember, 'node' | 'size' | 'wanted'>;

export interface PartitionInput {
  readonly members: readonly PartitionMember[];
  readonly others: readonly OtherKubelet[];
  readonly reserve: Amounts;
}

/** Shares are whole multiples of this, as balloons are by default. */
const granularity = parseAmounts({ cpu: '10m', memory: '16Mi' });

export interface PartitionPlan {
  /** The least that a member says the machine has. */
  readonly capacity: Amounts;
  /** Members say different things about the machine. */
  readonly hardwareDiffers: boolean;
  /** The sizes of all kubelets together are more than the machine has beside its reserve. */
  readonly oversubscribed: boolean;
  /** Kubelets that are no members leave members nothing, so that nothing is asked for. */
  readonly crowded: boolean;
  readonly shares: ReadonlyMap<string, Amounts>;
  /** The NodeSizes to write now, by node. */
  readonly writes: ReadonlyMap<string, Amounts>;
  /** Members that have to shrink before any may grow. */
  readonly shrinking: readonly string[];
  readonly balanced: boolean;
}

/**
 * Decides which sizes to ask for now. As long as any member is larger than its share, or
 * has been promised more, only shrinking is asked for: so the sum of all sizes goes down to
 * what the machine has, and from there never above it, in whatever order kubelets get to it.
 */
export function planPartition({ members, others, reserve }: PartitionInput): PartitionPlan {
  const capacity = perResource((resource) => least(members.map(({ hardware }) => hardware[resource])));
  const taken = plus(reserve, sum(others.map(heldBy)));
  const facts = {
    capacity,
    hardwareDiffers: members.some(({ hardware }) => !sameAmounts(hardware, capacity)),
    oversubscribed: !within(sum([...members, ...others].map(({ size }) => size)), minus(capacity, reserve)),
  };
  if (others.length > 0 && members.length > 0 && resources.some((resource) => taken[resource] >= capacity[resource])) {
    return { ...facts, crowded: true, shares: new Map(), writes: new Map(), shrinking: [], balanced: false };
  }
  const shares = hostShares({ capacity, reserve: taken, granularity, members });
  const shareOf = ({ node, allocatable }: PartitionMember) => smaller(shares.get(node) ?? allocatable, allocatable);
  const tooLarge = members.filter((member) => !within(heldBy(member), shareOf(member)));
  const asked = tooLarge.length > 0 ? tooLarge : members;
  const targets = asked.map((member) => {
    const share = shareOf(member);
    return [member, tooLarge.length > 0 ? smaller(share, heldBy(member)) : share] as const;
  });
  return {
    ...facts,
    crowded: false,
    shares: new Map(members.map((member) => [member.node, shareOf(member)])),
    writes: new Map(
      targets.filter(([{ wanted }, to]) => !sameAmounts(wanted, to)).map(([{ node }, to]) => [node, to] as const),
    ),
    shrinking: tooLarge.map(({ node }) => node),
    balanced: tooLarge.length === 0 && members.every((member) => hasItsShare(member, shareOf(member))),
  };
}

/** Balloons are whole steps, so a size may be less than a step below its share. */
function hasItsShare({ size }: PartitionMember, share: Amounts): boolean {
  return resources.every((resource) => share[resource] - size[resource] < granularity[resource]);
}

/** The most that a kubelet has, or may come to have at any moment. */
function heldBy({ size, wanted }: OtherKubelet): Amounts {
  return larger(size, wanted);
}

function larger(a: Amounts, b: Amounts): Amounts {
  return perResource((resource) => (a[resource] > b[resource] ? a[resource] : b[resource]));
}

function smaller(a: Amounts, b: Amounts): Amounts {
  return perResource((resource) => (a[resource] < b[resource] ? a[resource] : b[resource]));
}

function least(all: readonly bigint[]): bigint {
  return all.reduce((smallest, each) => (each < smallest ? each : smallest), all[0] ?? 0n);
}
