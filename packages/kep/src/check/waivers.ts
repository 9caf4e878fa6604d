import type { Severity } from '../kinds/severity.js';
import type { KepPaths } from './kep-paths.js';

/** What the owners of a repository let pass, for a time. */
export interface Waiver {
  readonly rule: string;
  /** Directory of the proposal, relative to the root. */
  readonly kep: string;
  /** Who answers for it. */
  readonly owner: string;
  readonly reason: string;
  /** Last day on which it holds, YYYY-MM-DD. */
  readonly until: string;
}

/** The waiver for a rule in a proposal, if there is one, and whether its time is over. */
export function waiverFor(
  waivers: readonly Waiver[],
  rule: string,
  { kep }: KepPaths,
  today: string | undefined,
): { readonly waiver: Waiver; readonly isOver: boolean } | undefined {
  const found = waivers.filter((each) => each.rule === rule && each.kep === kep);
  const waiver = found.sort((one, other) => (one.until < other.until ? 1 : -1))[0];
  return waiver && { waiver, isOver: today !== undefined && waiver.until < today };
}

/**
 * Returns the severity of a postponed finding: an error in a proposal for the present or a later release, else a hint.
 */
export function waitingSeverity(milestone: number | undefined, release: number | undefined): Severity {
  return release !== undefined && milestone !== undefined && milestone >= release ? 'error' : 'info';
}
