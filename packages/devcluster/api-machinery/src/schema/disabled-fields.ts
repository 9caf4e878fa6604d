import { isJsonObject } from '../json/json-value.js';
import type { Field, Message } from './message-table.js';

type Json = Record<string, unknown>;

/** Where values of a message can have fields whose gates are off by default: in it, or below these fields. */
interface Gated {
  readonly own: readonly (Field & { readonly offGates: readonly string[] })[];
  readonly below: readonly (Field & { readonly message: Message })[];
}

const gatedFields = new WeakMap<Message, Gated>();

/**
 * Drops what a writer may not set because a gate is off, in place. A stored object that already uses a field of the gate may keep
 * using it: otherwise turning a gate off would make such objects impossible to update.
 */
export function dropDisabledFields(
  message: Message,
  object: Json,
  old: Json | undefined,
  isEnabled: (gate: string) => boolean,
): void {
  let used: Set<string> | undefined;
  visit(message, object, (parent, { name, offGates }) => {
    const off = offGates.filter((gate) => !isEnabled(gate));
    if (off.length === 0) return;
    used ??= old === undefined ? new Set() : gatesUsedBy(message, old);
    if (off.some((gate) => !used?.has(gate))) delete parent[name];
  });
}

function gatesUsedBy(message: Message, object: Json): Set<string> {
  const used = new Set<string>();
  visit(message, object, (_, { offGates }) => {
    for (const gate of offGates) used.add(gate);
  });
  return used;
}

/** Calls `found` for each field with gates that is set, and the object it is in. */
function visit(message: Message, object: Json, found: (parent: Json, field: Gated['own'][number]) => void): void {
  const { own, below } = gatedOf(message);
  for (const field of own) if ((object[field.name] ?? null) !== null) found(object, field);
  for (const { name, message: inner, shape } of below) {
    const value = object[name];
    const values =
      shape === 'single' ? [value] : shape === 'list' ? value : isJsonObject(value) && Object.values(value);
    if (!Array.isArray(values)) continue;
    for (const each of values) if (isJsonObject(each)) visit(inner, each, found);
  }
}

function gatedOf(message: Message): Gated {
  const known = gatedFields.get(message);
  if (known) return known;
  // Messages that contain themselves have none: schemas of definitions.
  gatedFields.set(message, { own: [], below: [] });
  const fields = [...message.byName.values()];
  const gated: Gated = {
    own: fields.filter((field): field is Gated['own'][number] => field.offGates !== undefined),
    below: fields.filter((field): field is Gated['below'][number] => {
      if (field.message === undefined) return false;
      const { own, below } = gatedOf(field.message);
      return own.length > 0 || below.length > 0;
    }),
  };
  gatedFields.set(message, gated);
  return gated;
}
