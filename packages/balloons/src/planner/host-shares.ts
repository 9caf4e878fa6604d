import { type Amounts, minus, type ResourceName, roundDown } from './amounts.js';

/** One kubelet on a shared host and its weight. */
export interface HostMember {
  readonly node: string;
  /** Above 0; twice the weight is twice the share. */
  readonly weight: number;
}

export interface HostShares {
  readonly capacity: Amounts;
  /** Kept for the host itself. */
  readonly reserve: Amounts;
  /** Shares are whole multiples of this. */
  readonly granularity: Amounts;
  readonly members: readonly HostMember[];
}

/**
 * Splits a host between its kubelets. Shares are rounded down; the steps that this
 * leaves over go to the members that lost most by it, so that the sum is as large
 * as whole steps allow and never above capacity without reserve.
 */
export function hostShares({ capacity, reserve, granularity, members }: HostShares): ReadonlyMap<string, Amounts> {
  const shared = minus(capacity, reserve);
  const cpu = split('cpu');
  const memory = split('memory');
  return new Map(members.map(({ node }, at) => [node, { cpu: cpu[at] ?? 0n, memory: memory[at] ?? 0n }]));

  function split(resource: ResourceName): readonly bigint[] {
    const steps = roundDown(shared[resource], granularity[resource]) / granularity[resource];
    return bySmallestLoss(steps, members).map((share) => share * granularity[resource]);
  }
}

/** Weights are decimal numbers; a millionth is as fine as they get. */
const weightScale = 1_000_000;

function bySmallestLoss(steps: bigint, members: readonly HostMember[]): bigint[] {
  const weights = members.map(({ weight }) => BigInt(Math.round(weight * weightScale)));
  const whole = weights.reduce((total, weight) => total + weight, 0n);
  if (whole <= 0n) return members.map(() => 0n);
  const shares = weights.map((weight) => (steps * weight) / whole);
  let left = steps - shares.reduce((total, share) => total + share, 0n);
  const losses = weights
    .map((weight, at) => ({ at, loss: (steps * weight) % whole }))
    .sort((a, b) => (a.loss === b.loss ? a.at - b.at : a.loss > b.loss ? -1 : 1));
  for (const { at } of losses) {
    if (left === 0n) break;
    shares[at] = (shares[at] ?? 0n) + 1n;
    left -= 1n;
  }
  return shares;
}
