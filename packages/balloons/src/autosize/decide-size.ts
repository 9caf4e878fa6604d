import {
  type Amounts,
  nothing,
  perResource,
  plus,
  type ResourceName,
  resources,
  roundDown,
  roundUp,
} from '../planner/amounts.js';
import type { SizeLimits } from '../planner/plan-size.js';

/** The autosizing settings of a policy. */
export interface AutosizeSettings {
  readonly isEnforced: boolean;
  /** Headroom in percent of the requests. */
  readonly headroomPercent: bigint;
  /** Fixed headroom. */
  readonly headroom: Amounts;
  /** Delay before a node of ordinary size shrinks; see `delayMs` for others. */
  readonly stabilizationMs: number;
}

/** The desired size at one moment. */
export interface Want {
  readonly atMs: number;
  readonly amounts: Amounts;
}

export interface AutosizeInput {
  readonly nowMs: number;
  readonly allocatable: Amounts;
  readonly size: Amounts;
  readonly limits: SizeLimits;
  readonly stabilizationMs: number;
  /** Earlier wants and the current one, oldest first. */
  readonly wants: readonly Want[];
  /** Why the node must not shrink now, if so. */
  readonly keep: KeepReason | undefined;
}

/** Why a node keeps its size; `WouldPreempt`: a pending pod would preempt others if the node grew. */
export type KeepReason = 'WouldPreempt' | 'NotReady' | 'Leaving' | 'Young' | 'Held' | 'Budget' | 'Resizing';

export type AutosizeDecision =
  | { readonly kind: 'keep'; readonly reason: KeepReason | 'Fits' | 'Stabilizing' }
  | { readonly kind: 'grow' | 'shrink'; readonly to: Amounts };

type Headroom = Pick<AutosizeSettings, 'headroomPercent' | 'headroom'>;

/**
 * Returns how large a node should be for what pods request now, those included that wait for it to grow. Of the headroom
 * and `spare`, which is kept free for one more pod, the larger counts.
 */
export function wantNow(
  requested: Amounts,
  allocatable: Amounts,
  headroom: Headroom,
  limits: SizeLimits,
  spare: Amounts = nothing,
): Amounts {
  const [relative, fixed] = [withHeadroom(requested, headroom), plus(requested, spare)];
  const wanted = perResource((resource) => largest(relative[resource], fixed[resource]));
  const most = largestSize(allocatable, limits);
  return perResource((resource) => {
    // A size is what a whole number of steps leaves of the node.
    const hidden = roundDown(
      allocatable[resource] - largest(wanted[resource], limits.min[resource]),
      limits.granularity[resource],
    );
    return smallest(allocatable[resource] - hidden, most[resource]);
  });
}

/** Adds the headroom of a policy to requests, whether or not a node can become that large. */
export function withHeadroom(requested: Amounts, { headroomPercent, headroom }: Headroom): Amounts {
  const fixed = plus(requested, headroom);
  return perResource((resource) => {
    const relative = (requested[resource] * (100n + headroomPercent) + 99n) / 100n;
    return largest(relative, fixed[resource]);
  });
}

/** Returns the largest size of a node, which leaves the smallest balloon and whole steps of it. */
export function largestSize(allocatable: Amounts, { max, minBalloon, granularity }: SizeLimits): Amounts {
  return perResource((resource) => {
    const whole = allocatable[resource] - minBalloon[resource];
    const most = max[resource];
    if (most === undefined || most >= whole) return whole;
    return smallest(whole, allocatable[resource] - roundUp(allocatable[resource] - most, granularity[resource]));
  });
}

/**
 * Grows at once; shrinks to the largest want of the stabilization time, if that saves enough, and never to less than
 * half in one step.
 */
export function decideSize(input: AutosizeInput): AutosizeDecision {
  const { wants, size, keep } = input;
  const now = wants.at(-1)?.amounts ?? size;
  if (resources.some((resource) => now[resource] > size[resource])) {
    return { kind: 'grow', to: perResource((resource) => largest(now[resource], size[resource])) };
  }
  if (keep) return { kind: 'keep', reason: keep };
  const to = perResource((resource) => shrunk(input, resource));
  const isWorthIt = resources.some((resource) => to[resource] < size[resource]);
  if (isWorthIt) return { kind: 'shrink', to };
  const couldShrink = resources.some((resource) => saves(input, resource, now[resource]));
  return { kind: 'keep', reason: couldShrink ? 'Stabilizing' : 'Fits' };
}

function shrunk(input: AutosizeInput, resource: ResourceName): bigint {
  const { wants, size, nowMs } = input;
  const now = wants.at(-1)?.amounts[resource] ?? size[resource];
  const sinceMs = nowMs - delayMs(input, resource, now);
  const isKnown = (wants[0]?.atMs ?? nowMs) <= sinceMs;
  const lately = wants.filter(({ atMs }) => atMs >= sinceMs).map(({ amounts }) => amounts[resource]);
  const wanted = largest((size[resource] + 1n) / 2n, ...lately);
  return isKnown && saves(input, resource, wanted) ? wanted : size[resource];
}

/** A tenth of the size, and two steps, is worth a resize. */
function saves({ size, limits }: AutosizeInput, resource: ResourceName, to: bigint): boolean {
  const saving = size[resource] - to;
  return saving * 10n >= size[resource] && saving >= 2n * limits.granularity[resource];
}

/**
 * A large node that is nearly empty shrinks ten times sooner than others, one that is small
 * already six times later: 1, 10 and 60 minutes by default, as GKE has them.
 */
function delayMs({ size, allocatable, stabilizationMs }: AutosizeInput, resource: ResourceName, to: bigint): number {
  const saving = size[resource] - to;
  if (size[resource] * 2n > allocatable[resource] && saving * 100n >= size[resource] * 45n) return stabilizationMs / 10;
  return size[resource] * 8n > allocatable[resource] ? stabilizationMs : stabilizationMs * 6;
}

function largest(first: bigint, ...others: readonly bigint[]): bigint {
  return others.reduce((most, each) => (each > most ? each : most), first);
}

function smallest(first: bigint, ...others: readonly bigint[]): bigint {
  return others.reduce((least, each) => (each < least ? each : least), first);
}
