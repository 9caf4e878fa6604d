import { type Amounts, perResource, plus, type ResourceName, resources, roundUp } from '../planner/amounts.js';
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

/** Why a node stays as large as it is. */
export type KeepReason = 'NotReady' | 'Leaving' | 'Young' | 'Held' | 'Budget' | 'Resizing';

export type AutosizeDecision =
  | { readonly kind: 'keep'; readonly reason: KeepReason | 'Fits' | 'Stabilizing' }
  | { readonly kind: 'grow' | 'shrink'; readonly to: Amounts };

/** How large a node should be for what pods ask of it now, those included that wait for it to grow. */
export function wantNow(
  requested: Amounts,
  allocatable: Amounts,
  { headroomPercent, headroom }: Pick<AutosizeSettings, 'headroomPercent' | 'headroom'>,
  limits: SizeLimits,
): Amounts {
  const relative = perResource((resource) => (requested[resource] * (100n + headroomPercent) + 99n) / 100n);
  const fixed = plus(requested, headroom);
  return perResource((resource) => {
    const wanted = largest(relative[resource], fixed[resource], limits.min[resource]);
    const most = limits.max[resource] ?? allocatable[resource];
    return smallest(roundUp(wanted, limits.granularity[resource]), most, allocatable[resource]);
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
