import type { Resumable } from '../event-loop/resumable.js';
import { capUpdaters } from './cap-updaters.js';
import { difference, type FieldSet, isEmpty, union, without } from './field-set.js';
import { identityOf, type Manager, type Managers } from './managers.js';
import { systemManagedFields } from './system-managed-fields.js';
import { followSchemas, takeOver } from './take-over.js';
import type { TypedKind } from './typed-kind.js';

/** An identity without a manager: an update takes the changed fields from every manager, without conflicts. */
const noManager = '';

/** Maximum number of managers inspected: an object with more is hostile. */
const maxInspected = 100;

/**
 * Returns the managers after a write other than an apply: the writer owns the fields
 * that it added or changed, and removed fields have no owner.
 *
 * @param before undefined for a create
 * @param time now, in seconds of RFC 3339
 * @throws ShapeError when an object cannot be converted to another version
 */
export function* trackUpdate(
  kind: TypedKind,
  before: unknown,
  after: unknown,
  managers: Managers,
  writer: Manager,
  time: string,
): Resumable<Managers> {
  // Of so many most are put together in any case: sooner, that is less to look through.
  const known = managers.size > maxInspected ? yield* capUpdaters(managers) : managers;
  const change = yield* takeOver(kind, before, after, yield* followSchemas(kind, known), noManager);
  yield;
  const { added, modified } = change.comparison;
  const changed = without(union(modified, added), kind.ignored);
  yield;
  const fields = difference(changed, systemManagedFields);
  if (isEmpty(fields)) return yield* capUpdaters(change.managers);
  yield;
  const identity = identityOf(writer, kind.apiVersion);
  const had = change.managers.get(identity)?.fields;
  const owned: FieldSet = had ? union(fields, had) : fields;
  const updated = new Map(change.managers);
  const { name, operation, subresource } = writer;
  updated.set(identity, { name, operation, subresource, apiVersion: kind.apiVersion, fields: owned, time });
  return yield* capUpdaters(updated);
}
