import type { Resumable } from '../event-loop/resumable.js';
import { type Comparison, compare, comparing } from './compare.js';
import { difference, type FieldSet, intersection, isEmpty, union, without } from './field-set.js';
import { followingSchema } from './follow-schema.js';
import { type Managers, type Owned, withoutEmpty } from './managers.js';
import type { TypedKind } from './typed-kind.js';

/** What others own of the fields that a write changes, by identity of the manager. */
export type Claims = ReadonlyMap<string, FieldSet>;

/** What a change from one object to another means for those who own fields. */
export interface Change {
  readonly comparison: Comparison;
  /** Changed fields that another manager owns. */
  readonly claims: Claims;
  /** The managers once they lost those fields, and all that are gone. */
  readonly managers: Managers;
}

/**
 * Compares two objects of a kind, and says whose fields change. Every manager is
 * asked in the version it wrote in.
 *
 * @param writer identity of the manager who writes; it is left as it is
 * @throws ShapeError when an object cannot be seen as another version has it
 */
export function* takeOver(
  kind: TypedKind,
  before: unknown,
  after: unknown,
  managers: Managers,
  writer: string,
): Resumable<Change> {
  const comparison = filtered(yield* comparing(kind.type, before, after), kind.ignored);
  const byVersion = new Map<string, ReturnType<typeof changeIn>>();
  const seenAs = (apiVersion: string) =>
    apiVersion === kind.apiVersion ? comparison : compareAt(kind, apiVersion, before, after);
  const claims = new Map<string, FieldSet>();
  const left = new Map<string, Owned>();
  for (const [identity, owned] of managers) {
    if (identity === writer) {
      left.set(identity, owned);
      continue;
    }
    const { apiVersion } = owned;
    if (!byVersion.has(apiVersion)) byVersion.set(apiVersion, changeIn(seenAs(apiVersion)));
    yield;
    const change = byVersion.get(apiVersion);
    if (!change) continue;
    const claimed = intersection(owned.fields, change.set);
    if (!isEmpty(claimed)) claims.set(identity, claimed);
    yield;
    const kept = difference(owned.fields, claimed);
    yield;
    const fields = difference(kept, change.removed);
    left.set(identity, fields === owned.fields ? owned : { ...owned, fields });
  }
  return { comparison, claims, managers: withoutEmpty(left) };
}

/** What was set to something else, and what is gone; worked out once for all managers of a version. */
function changeIn(comparison: Comparison | undefined) {
  return comparison && { set: union(comparison.modified, comparison.added), removed: comparison.removed };
}

function compareAt(kind: TypedKind, apiVersion: string, before: unknown, after: unknown): Comparison | undefined {
  const other = kind.at(apiVersion);
  return other && compare(other.type, other.see(before), other.see(after));
}

function filtered({ added, modified, removed }: Comparison, ignored: FieldSet): Comparison {
  if (isEmpty(ignored)) return { added, modified, removed };
  return { added: without(added, ignored), modified: without(modified, ignored), removed: without(removed, ignored) };
}

/** The managers as today's schema has their fields; those of versions that are gone own nothing any more. */
export function* followSchemas(kind: TypedKind, managers: Managers): Resumable<Managers> {
  const followed = new Map<string, Owned>();
  for (const [identity, owned] of managers) {
    const type = owned.apiVersion === kind.apiVersion ? kind.type : kind.at(owned.apiVersion)?.type;
    if (!type) continue;
    const fields = yield* followingSchema(type, owned.fields);
    followed.set(identity, fields === owned.fields ? owned : { ...owned, fields });
    yield;
  }
  return followed;
}
