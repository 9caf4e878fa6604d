import { fingerprint } from '../document/fingerprint.js';
import type { FileRole } from '../facts/rule.js';

/** What kinds of things a proposal says that a cluster can show. */
export const claimKinds = [
  'gate-exists',
  'gate-reported',
  'gate-stage',
  'metric',
  'event',
  'condition',
  'field',
  'api',
  'disable-supported',
] as const;
export type ClaimKind = (typeof claimKinds)[number];

/** Where a claim stands. `line` counts from 1. */
export interface ClaimSource {
  readonly file: FileRole;
  readonly line: number;
  readonly text: string;
}

/** One thing that a proposal says about a cluster that has the feature. */
export interface Claim {
  /** Stable while lines move: `gate/NodeBalloons`, `metric/kubelet_x_total`. */
  readonly id: string;
  readonly kind: ClaimKind;
  /** What it is about: a gate, a metric selector, a reason, a path. */
  readonly subject: string;
  /** The other half, for kinds that have one: a component, a stage, `true` or `false`. */
  readonly object: string | undefined;
  readonly sources: readonly ClaimSource[];
}

/** Words in a place for a claim that name nothing one could ask a cluster for. */
export interface UnreadClaim extends ClaimSource {
  /** Undefined in a block of checks, where the kind itself may be unknown. */
  readonly kind: ClaimKind | undefined;
}

/** Everything a proposal claims. */
export interface Claims {
  readonly claims: readonly Claim[];
  readonly unread: readonly UnreadClaim[];
}

/** A short name for what is claimed, not where: evidence says which claims it was for. */
export function claimsHash({ claims }: Claims): string {
  return fingerprint(
    claims
      .map(({ id, object }) => `${id}=${object ?? ''}`)
      .sort()
      .join('\n'),
  );
}
