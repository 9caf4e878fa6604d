import type { KubeObject } from '@slipway/kube';
import { type FieldPath, type Place, valueAt } from './field-path.js';
import { isSameValue } from './used-field.js';

interface ManagedFields {
  readonly manager?: string;
  readonly fieldsV1?: unknown;
}

/** Returns at most three managers of a field. Below a list, the list's managers are returned. */
export function managersOf(object: KubeObject, path: FieldPath): readonly string[] {
  const stop = path.findIndex((step) => step.kind !== 'field');
  const names = (stop < 0 ? path : path.slice(0, stop)).flatMap((step) => (step.kind === 'field' ? [step.name] : []));
  return ownersOf(object, names).slice(0, 3);
}

/** The managers that own the value at a place. None own what the API server's defaulting set on reading. */
export function ownersOf(object: KubeObject, place: Place): readonly string[] {
  const entries = (object.metadata.managedFields ?? []) as readonly ManagedFields[];
  const owners = entries.filter(({ fieldsV1 }) => owns(fieldsV1, object, place));
  return [...new Set(owners.flatMap(({ manager }) => manager ?? []))];
}

function owns(fields: unknown, object: unknown, [key, ...rest]: Place): boolean {
  if (typeof fields !== 'object' || fields === null) return false;
  if (key === undefined) return true;
  const below = valueAt([key], object);
  const keys = Object.keys(fields);
  if (typeof key === 'string') {
    const child = (fields as Record<string, unknown>)[`f:${key}`];
    // A list or map that is owned as a whole has no keys of its own.
    return child !== undefined && (isWhole(child) || owns(child, below, rest));
  }
  return keys.some((text) => isItem(text, key, below) && owns((fields as Record<string, unknown>)[text], below, rest));
}

function isWhole(fields: unknown): boolean {
  return typeof fields === 'object' && fields !== null && Object.keys(fields).length === 0;
}

/** Whether a key of `fieldsV1` names an item of a list: by its keys, its value or its index. */
function isItem(text: string, index: number, item: unknown): boolean {
  const [kind, named] = [text.slice(0, 2), text.slice(2)];
  if (kind === 'i:') return Number(named) === index;
  if (kind !== 'k:' && kind !== 'v:') return false;
  const value: unknown = JSON.parse(named);
  if (kind === 'v:') return isSameValue(value, item);
  return Object.entries(value as object).every(([name, wanted]) => isSameValue(valueAt([name], item), wanted));
}
