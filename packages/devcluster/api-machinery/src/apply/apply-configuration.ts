import type { Resumable } from '../event-loop/resumable.js';
import { comparingJson } from '../json/json-in-slices.js';
import { ApplyConflict, conflictsOf } from './apply-conflict.js';
import { difference, type FieldSet, isEmpty, without } from './field-set.js';
import { findingFields } from './fields-of.js';
import { identityOf, type Manager, type Managers, type Owned } from './managers.js';
import { merging } from './merge.js';
import { prune } from './prune-unapplied.js';
import { systemManagedFields } from './system-managed-fields.js';
import { followSchemas, takeOver } from './take-over.js';
import type { TypedKind } from './typed-kind.js';

/** The fields that an applier wants an object to have. */
export interface Configuration {
  readonly config: unknown;
  readonly applier: Manager & { readonly operation: 'Apply' };
  /** Take fields from whoever owns them. */
  readonly force: boolean;
  /** Now, in seconds of RFC 3339. */
  readonly time: string;
}

/** What an apply makes of an object. */
export interface Applied {
  /** The object as it is to be; undefined when the configuration says nothing new. */
  readonly object: unknown;
  readonly managers: Managers;
}

/**
 * Applies a configuration to an object: sets the fields of the configuration,
 * removes fields that the applier set last time and no longer sets unless other
 * managers own them, and makes the applier an owner of the fields it set.
 *
 * @param live as stored, without managedFields; with only apiVersion and kind for an object that does not exist
 * @throws ApplyConflict when others own a field that would change, unless forced
 * @throws ShapeError when an object cannot be converted to another version
 */
export function* applyConfiguration(
  kind: TypedKind,
  live: unknown,
  managers: Managers,
  wanted: Configuration,
): Resumable<Applied> {
  const { config, applier, force, time } = wanted;
  const identity = identityOf(applier, kind.apiVersion);
  const known = yield* followSchemas(kind, managers);
  const before = known.get(identity);
  const fields = yield* findingFields(kind.type, config);
  yield;
  const applied = appliedBy(kind, applier, without(fields, kind.ignored), before);
  const owners = new Map(known).set(identity, applied);
  yield;
  const laid = yield* merging(kind.type, live, config);
  yield;
  const merged = prune(kind, laid, owners, before);
  yield;
  const change = yield* takeOver(kind, live, merged, owners, identity);
  if (!force && change.claims.size > 0) throw new ApplyConflict(yield* conflictsOf(change.claims, owners));
  yield;
  const isNew = !(yield* comparingJson(live, merged));
  return {
    object: isNew ? merged : undefined,
    managers: stripped(change.managers, identity, isNew ? time : undefined),
  };
}

function appliedBy(kind: TypedKind, applier: Manager, fields: FieldSet, before: Owned | undefined): Owned {
  return { ...applier, apiVersion: kind.apiVersion, fields, ...(before?.time && { time: before.time }) };
}

/** Removes fields without owners from the applier's set, and records the time of a change. */
function stripped(managers: Managers, identity: string, time: string | undefined): Managers {
  const owned = managers.get(identity);
  if (!owned) return managers;
  const result = new Map(managers);
  const fields = difference(owned.fields, systemManagedFields);
  if (isEmpty(fields)) result.delete(identity);
  else result.set(identity, { ...owned, fields, ...(time !== undefined && { time }) });
  return result;
}
