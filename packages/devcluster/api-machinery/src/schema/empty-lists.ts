import { isJsonObject } from '../json/json-value.js';
import type { Field, Message } from './message-table.js';

/**
 * Replaces empty lists and maps that are always written by null, in place: protobuf, in which Kubernetes stores objects,
 * does not tell them apart.
 */
export function withoutEmptyLists(message: Message, object: Record<string, unknown>): void {
  for (const field of fieldsWithEmpties(message)) {
    const value = object[field.name];
    if (typeof value !== 'object' || value === null) continue;
    if (isAlways(field) && Object.keys(value).length === 0) object[field.name] = null;
    else for (const inner of field.shape === 'single' ? [value] : Object.values(value)) descend(field, inner);
  }
}

function descend({ message }: Field, value: unknown): void {
  if (message && message.encoding === undefined && isJsonObject(value)) withoutEmptyLists(message, value);
}

function isAlways({ shape, omitempty }: Field): boolean {
  return shape !== 'single' && !omitempty;
}

const known = new WeakMap<Message, readonly Field[]>();

/** The fields of a message that are, or lead to, lists and maps that are always written. */
function fieldsWithEmpties(message: Message): readonly Field[] {
  const before = known.get(message);
  if (before) return before;
  // A message that leads back to itself is looked into as far as it has others.
  known.set(message, []);
  const fields = [...message.byName.values()].filter(
    (field) =>
      isAlways(field) ||
      (field.message !== undefined &&
        field.message.encoding === undefined &&
        fieldsWithEmpties(field.message).length > 0),
  );
  known.set(message, fields);
  return fields;
}
