import {
  type Amounts,
  minus,
  perResource,
  plus,
  type ResourceName,
  resources,
  roundDown,
  roundUp,
  sameAmounts,
} from './amounts.js';
import { full, type SizeWish, wantedSize } from './size-wish.js';

/** The input of a plan for one node, all of one moment. */
export interface PlanInput {
  /** `status.allocatable` of the node. */
  readonly allocatable: Amounts;
  /** Effective requests of all pods on the node but the balloon. */
  readonly requested: Amounts;
  /** What the kubelet has allocated to the balloon. */
  readonly balloon: Amounts;
  readonly wish: SizeWish;
  /** `Exact` changes nothing when the desired size does not fit; `BestEffort` comes as close as it can. */
  readonly fit: 'Exact' | 'BestEffort';
  readonly limits: SizeLimits;
}

/** The limits that a policy sets for its nodes. */
export interface SizeLimits {
  /** Minimum size. */
  readonly min: Amounts;
  /** Maximum size; an absent resource has none. */
  readonly max: Partial<Amounts>;
  /** Balloons are multiples of this; smaller differences are ignored. */
  readonly granularity: Amounts;
  /** Amounts that balloons leave free for critical pods. */
  readonly criticalReserve: Amounts;
  /** The size of a balloon that hides nothing; not 0, so that its QoS class cannot change. */
  readonly minBalloon: Amounts;
}

/** Up: the node grows and the balloon shrinks. Down: the reverse. Mixed: one resource of each. */
export type Direction = 'Up' | 'Down' | 'Mixed';

export type SizePlan =
  | { readonly kind: 'at-size'; readonly outside: readonly OutOfBounds[] }
  | { readonly kind: 'does-not-fit'; readonly wanted: Amounts; readonly short: Partial<Amounts> }
  | Resize;

export interface Resize {
  readonly kind: 'resize';
  readonly direction: Direction;
  readonly from: Amounts;
  readonly to: Amounts;
  /**
   * The requests of the balloon, patch by patch. A kubelet accepts a resize whole or not at all, so the resource that
   * shrinks is patched first, which is always admitted.
   */
  readonly patches: readonly Amounts[];
  /** Less than was wished for, because pods use the rest. */
  readonly partial: boolean;
  readonly outside: readonly OutOfBounds[];
}

/** A wish that was cut to what the node or its policy allows. */
export interface OutOfBounds {
  readonly resource: ResourceName;
  readonly bound: 'min' | 'max' | 'allocatable';
  readonly wanted: bigint;
  readonly allowed: bigint;
}

/**
 * Decides the size of a node's balloon and the patches that lead to it.
 *
 * A balloon never grows into what other pods have asked for: that is the proposal's
 * "fail to upsize rather than preempt", decided before the kubelet is even asked.
 * When nothing is to be done the result is `at-size`, and nothing is written.
 */
export function planSize(input: PlanInput): SizePlan {
  const { balloon: from, fit } = input;
  const cuts = resources.flatMap((resource) => boundsOf(input, resource));
  const wanted = perResource((resource) => wantedBalloon(input, resource));
  const most = perResource((resource) => largestBalloon(input, resource));
  const fits = resources.every((resource) => wanted[resource] <= most[resource]);
  if (!fits && fit === 'Exact') return { kind: 'does-not-fit', wanted, short: shortfall(wanted, most) };

  const to = perResource((resource) => (wanted[resource] < most[resource] ? wanted[resource] : most[resource]));
  if (sameAmounts(from, to)) return fits ? { kind: 'at-size', outside: cuts } : doesNotFitAtAll(wanted, most);
  return {
    kind: 'resize',
    direction: directionOf(from, to),
    from,
    to,
    patches: patchesOf(from, to),
    partial: !fits,
    outside: cuts,
  };
}

/** Even the best that can be done is nothing. */
function doesNotFitAtAll(wanted: Amounts, most: Amounts): SizePlan {
  return { kind: 'does-not-fit', wanted, short: shortfall(wanted, most) };
}

function shortfall(wanted: Amounts, most: Amounts): Partial<Amounts> {
  const short: Partial<Record<ResourceName, bigint>> = {};
  for (const resource of resources) {
    if (wanted[resource] > most[resource]) short[resource] = wanted[resource] - most[resource];
  }
  return short;
}

/** The balloon that makes the wish true, with differences too small to matter left as they are. */
function wantedBalloon(input: PlanInput, resource: ResourceName): bigint {
  const smallest = input.limits.minBalloon[resource];
  const now = input.balloon[resource];
  const size = allowedSize(input, resource);
  if (size >= input.allocatable[resource] - smallest) return smallest;
  const wanted = atLeast(roundUp(input.allocatable[resource] - size, input.limits.granularity[resource]), smallest);
  const change = wanted > now ? wanted - now : now - wanted;
  return change < input.limits.granularity[resource] && wanted <= now ? now : wanted;
}

/** The wished size between the bounds; where bounds contradict, the node's own is the last word. */
function allowedSize(input: PlanInput, resource: ResourceName): bigint {
  const { min, max, minBalloon } = input.limits;
  const allocatable = input.allocatable[resource];
  const wanted = atLeast(wantedSize(input.wish[resource], allocatable), min[resource]);
  return atMost(atMost(wanted, max[resource] ?? allocatable), allocatable - minBalloon[resource]);
}

function boundsOf(input: PlanInput, resource: ResourceName): readonly OutOfBounds[] {
  const wish = input.wish[resource];
  if (wish === full) return [];
  const { min, max } = input.limits;
  const allocatable = input.allocatable[resource];
  const wanted = wantedSize(wish, allocatable);
  const most = max[resource];
  const cut = (bound: OutOfBounds['bound'], allowed: bigint) => [{ resource, bound, wanted, allowed }];
  if (wanted > allocatable) return cut('allocatable', allocatable);
  if (most !== undefined && wanted > most) return cut('max', most);
  return wanted < min[resource] ? cut('min', min[resource]) : [];
}

/** Maximum size of the balloon: what it has, or what other pods did not request. */
function largestBalloon({ allocatable, requested, balloon, limits }: PlanInput, resource: ResourceName): bigint {
  const free = allocatable[resource] - requested[resource] - limits.criticalReserve[resource];
  return atLeast(roundDown(free, limits.granularity[resource]), balloon[resource]);
}

export function directionOf(from: Amounts, to: Amounts): Direction {
  const grows = resources.some((resource) => to[resource] > from[resource]);
  const shrinks = resources.some((resource) => to[resource] < from[resource]);
  return grows && shrinks ? 'Mixed' : grows ? 'Down' : 'Up';
}

function patchesOf(from: Amounts, to: Amounts): readonly Amounts[] {
  const shrunk = perResource((resource) => atMost(to[resource], from[resource]));
  return [shrunk, to].filter((amounts, at, all) => !sameAmounts(amounts, all[at - 1] ?? from));
}

/**
 * Whether so little stays free after the balloon grew that a pod bound at the same
 * moment might not fit beside it. `percent` is of the allocatable amount.
 */
export function leavesLittleRoom(input: PlanInput, to: Amounts, percent: number): boolean {
  const left = minus(input.allocatable, plus(input.requested, to));
  return resources.some(
    (resource) =>
      to[resource] > input.balloon[resource] && left[resource] * 100n < input.allocatable[resource] * BigInt(percent),
  );
}

function atLeast(amount: bigint, least: bigint): bigint {
  return amount < least ? least : amount;
}

function atMost(amount: bigint, most: bigint): bigint {
  return amount > most ? most : amount;
}
