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

/** How a policy wants sizes to follow what pods ask for. */
export interface AutosizeSettings {
  readonly isEnforced: boolean;
  /** On top of what pods ask for, in percent of it. */
  readonly headroomPercent: bigint;
  /** On top of what pods ask for, whatever that is. */
  readonly headroom: Amounts;
  /** A node of ordinary size shrinks after this long; others by the bands of `delayMs`. */
  readonly stabilizationMs: number;
}

/** What a node would have been given at one moment. */
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
  /** The wants of the past, oldest first, the one of now last. */
  readonly wants: readonly Want[];
  /** Why the node must not shrink now; undefined when it may. */
  readonly keep: KeepReason | undefined;
}

/** Why a node stays as large as it is; `WouldPreempt`: a waiting pod would take the place of others if it grew. */
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

/** What pods request and the room that a policy wants beside it, whether or not a node can have it. */
export function withHeadroom(requested: Amounts, { headroomPercent, headroom }: Headroom): Amounts {
  const fixed = plus(requested, headroom);
  return perResource((resource) => {
    const relative = (requested[resource] * (100n + headroomPercent) + 99n) / 100n;
    return largest(relative, fixed[resource]);
  });
}

/** The largest size that a node can come to: its smallest balloon stays, and balloons are whole steps. */
export function largestSize(allocatable: Amounts, { max, minBalloon, granularity }: SizeLimits): Amounts {
  return perResource((resource) => {
    const whole = allocatable[resource] - minBalloon[resource];
    const most = max[resource];
    if (most === undefined || most >= whole) return whole;
    return smallest(whole, allocatable[resource] - roundUp(allocatable[resource] - most, granularity[resource]));
  });
}

/**
 * Grows at once; shrinks to the largest want of a while, when it is worth it, and never to
 * less than half in one step: a node that is too large costs money, one too small costs pods.
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
