import { createHash } from 'node:crypto';
import type { ObjectRef } from '@slipway/kube';
import { compareVersions } from '../lifecycle/versions.js';

/** A feature server as its lease describes it. */
export interface ServerIdentity {
  /** Its name, and what is new with each start. */
  readonly holder: string;
  readonly version: string;
  /** The newest minor version of Kubernetes whose gates it knows. */
  readonly catalogue: string;
  /** Digest of the gates that it brings definitions of. */
  readonly known: string;
}

/**
 * Returns the leader of a Feature: the candidate with the highest score, which every server computes alone. A new
 * candidate takes over its share of Features and leaves the others where they are.
 */
export function leaderOf(candidates: readonly string[], ref: ObjectRef): string | undefined {
  return candidates.reduce<string | undefined>(
    (leader, candidate) => (leader === undefined || outranks(candidate, leader, ref) ? candidate : leader),
    undefined,
  );
}

/**
 * Only the newest servers decide: an older one may not know a feature, a task or a field that a newer
 * one has begun to use.
 */
export function candidatesOf(servers: readonly ServerIdentity[]): readonly string[] {
  const newest = servers.reduce<string | undefined>(
    (best, { version }) => (best === undefined || compareVersions(version, best) > 0 ? version : best),
    undefined,
  );
  return servers.filter(({ version }) => compareVersions(version, newest ?? version) === 0).map(({ holder }) => holder);
}

function outranks(candidate: string, leader: string, ref: ObjectRef): boolean {
  const [mine, theirs] = [scoreOf(candidate, ref), scoreOf(leader, ref)];
  return mine === theirs ? candidate > leader : mine > theirs;
}

/** The first 8 bytes of a SHA-256, in hex: of the same length, so that texts compare as numbers. */
function scoreOf(holder: string, { namespace = '', name }: ObjectRef): string {
  return createHash('sha256').update(`${holder}\n${namespace}/${name}`).digest('hex').slice(0, 16);
}
