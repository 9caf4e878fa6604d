import type { Meter } from './failure.js';
import {
  Duration,
  List,
  MapValue,
  ObjectValue,
  Opaque,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from './values.js';

/** Whether two values are equal; numbers are equal across their types. Costs a unit for every five parts looked at. */
export function sameValue(a: Value, b: Value, meter: Meter): boolean {
  if (a === b) return true;
  const order = compareNumbers(a, b);
  if (order !== undefined) return order === 0;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (a instanceof List) return b instanceof List && sameLists(a, b, meter);
  if (a instanceof MapValue) return b instanceof MapValue && sameMaps(a, b, meter);
  if (a instanceof ObjectValue) return b instanceof ObjectValue && sameObjects(a, b, meter);
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos;
  if (a instanceof Timestamp) return b instanceof Timestamp && a.nanos === b.nanos;
  if (a instanceof TypeValue) return b instanceof TypeValue && a.type === b.type;
  if (a instanceof Optional) return b instanceof Optional && sameOptionals(a, b, meter);
  if (a instanceof Opaque) return b instanceof Opaque && a.type.name === b.type.name && sameHeld(a.held, b.held);
  return false;
}

function sameLists(a: List, b: List, meter: Meter): boolean {
  if (a.items.length !== b.items.length) return false;
  meter.spend(a.items.length / 5);
  const { keyOf } = a;
  if (!keyOf) return a.items.every((item, index) => sameValue(item, b.items[index] as Value, meter));
  const others = new Map(b.items.map((item) => [keyOf(item), item]));
  return a.items.every((item) => {
    const other = others.get(keyOf(item));
    return other !== undefined && sameValue(item, other, meter);
  });
}

function sameMaps(a: MapValue, b: MapValue, meter: Meter): boolean {
  if (a.size !== b.size) return false;
  meter.spend(a.size / 5);
  return a.entries().every(([key, value]) => {
    const other = b.get(key);
    return other !== undefined && sameValue(value, other, meter);
  });
}

function sameObjects(a: ObjectValue, b: ObjectValue, meter: Meter): boolean {
  const names = a.names();
  meter.spend((names.length + 2) / 5);
  return (
    names.length === b.names().length &&
    names.every((name) => b.has(name) && sameValue(a.get(name) as Value, b.get(name) as Value, meter))
  );
}

function sameOptionals(a: Optional, b: Optional, meter: Meter): boolean {
  if (a.value === undefined || b.value === undefined) return a.value === b.value;
  return sameValue(a.value, b.value, meter);
}

/** Amounts are the same however they were written. */
function sameHeld(a: unknown, b: unknown): boolean {
  const [one, other] = [a, b].map((held) => (held as { nano?: bigint }).nano);
  return one !== undefined && other !== undefined ? one === other : show(a) === show(b);
}

function show(held: unknown): string {
  return JSON.stringify(held, (_, value) => (typeof value === 'bigint' ? `${value}n` : value));
}

/** Below, equal to or above 0; NaN where one is not a number; undefined unless both are of a numeric type. */
export function compareNumbers(a: Value, b: Value): number | undefined {
  const x = a instanceof Uint ? a.value : a;
  const y = b instanceof Uint ? b.value : b;
  if ((typeof x !== 'bigint' && typeof x !== 'number') || (typeof y !== 'bigint' && typeof y !== 'number')) {
    return undefined;
  }
  // JavaScript compares the two exactly, whatever their types.
  if (x < y) return -1;
  if (x > y) return 1;
  return Number.isNaN(x) || Number.isNaN(y) ? Number.NaN : 0;
}

/** The order of two values of one ordered type; undefined when they have none. */
export function compareValues(a: Value, b: Value): number | undefined {
  const numbers = compareNumbers(a, b);
  if (numbers !== undefined) return numbers;
  if (typeof a === 'string' && typeof b === 'string') return a === b ? 0 : compareTexts(a, b);
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b);
  if ((a instanceof Duration && b instanceof Duration) || (a instanceof Timestamp && b instanceof Timestamp)) {
    return a.nanos < b.nanos ? -1 : a.nanos > b.nanos ? 1 : 0;
  }
  return undefined;
}

/** UTF-8 order, which is not that of UTF-16 beyond the basic plane. */
function compareTexts(a: string, b: string): number {
  if (!/[\ud800-\udfff]/.test(a) && !/[\ud800-\udfff]/.test(b)) return a < b ? -1 : 1;
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
