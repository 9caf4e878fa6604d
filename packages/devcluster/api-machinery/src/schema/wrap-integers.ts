import { isJsonObject } from '../json/json-value.js';
import type { Field, Message } from './message-table.js';

/**
 * Replaces whole numbers beyond the range of their field by what Go's conversion makes of them, in place: an apply and a
 * strategic merge patch do not check the range.
 */
export function wrapIntegers(message: Message, object: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(object)) {
    const field = message.byName.get(name);
    if (field) object[name] = wrapped(field, value);
  }
}

function wrapped(field: Field, value: unknown): unknown {
  const { scalar, message } = field;
  if (scalar === 'int32' || scalar === 'int64') return typeof value === 'number' ? wrapNumber(scalar, value) : value;
  if (!message || message.encoding !== undefined) return value;
  for (const inner of field.shape === 'single' ? [value] : Object.values(Object(value))) {
    if (isJsonObject(inner)) wrapIntegers(message, inner);
  }
  return value;
}

/** A float beyond 64 bits becomes the smallest integer, as on amd64; the lower 32 bits of that are 0. */
function wrapNumber(scalar: 'int32' | 'int64', value: number): number {
  if (!Number.isInteger(value)) return value;
  const isBeyond = value >= 2 ** 63 || value < -(2 ** 63);
  if (scalar === 'int32') return isBeyond ? 0 : Number(BigInt.asIntN(32, BigInt(value)));
  return isBeyond ? -(2 ** 63) : value;
}
