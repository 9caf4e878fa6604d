import type { Resumable } from '../event-loop/resumable.js';
import { capUpdaters } from './cap-updaters.js';
import { difference, type FieldSet, isEmpty, union, without } from './field-set.js';
import { identityOf, type Manager, type Managers } from './managers.js';
import { systemManagedFields } from './system-managed-fields.js';
import { followSchemas, takeOver } from './take-over.js';
import type { TypedKind } from './typed-kind.js';

/** Nobody writes under this identity: whoever updates owns what they change, whoever had it before. */
const nobody = '';

/** Managers of an object that nobody means well with. */
const maxInspected = 100;

/**
 * The managers after a write that was no apply: the writer owns what it added or
 * changed, and nobody owns what is gone.
 *
 * @param before undefined for a create
 * @param time now, in seconds of RFC 3339
 * @throws ShapeError when an object cannot be seen as another version has it
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
  const change = yield* takeOver(kind, before, after, yield* followSchemas(kind, known), nobody);
  yield;
  const { added, modified } = change.comparison;
  const fields = difference(without(union(modified, added), kind.ignored), systemManagedFields);
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
