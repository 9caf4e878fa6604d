import { type CelType, dyn } from './cel-type.js';
import type { Failure } from './failure.js';
import { escapedKeyword } from './field-names.js';

/**
 * A value of an expression: int is bigint, double is number, bytes are Uint8Array,
 * everything else is a class of its own.
 */
export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | Uint
  | Duration
  | Timestamp
  | List
  | MapValue
  | ObjectValue
  | Optional
  | TypeValue
  | Opaque
  | Failure;

/** A list; sets and maps among lists are compared and joined by their keys. */
export class List {
  readonly items: readonly Value[];
  /** What makes two elements the same one; absent for lists that are just lists. */
  readonly keyOf: ((item: Value) => string) | undefined;

  constructor(items: readonly Value[], keyOf?: (item: Value) => string) {
    this.items = items;
    this.keyOf = keyOf;
  }
}

/** A number of 64 bits without a sign. */
export class Uint {
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }
}

export class Duration {
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

/** Nanoseconds since 1970, and how many seconds the clock that shows it is ahead of UTC. */
export class Timestamp {
  readonly nanos: bigint;
  readonly ahead: number;

  constructor(nanos: bigint, ahead = 0) {
    this.nanos = nanos;
    this.ahead = ahead;
  }
}

/** Where a map has its entries from. */
interface Entries {
  readonly size: number;
  get(key: Value): Value | undefined;
  all(): readonly (readonly [Value, Value])[];
}

/** A map with keys of any kind that has keys. */
export class MapValue {
  readonly #entries: Entries;
  readonly #missing: Value | undefined;

  /** `missing` is what `get` returns for keys that the map does not have. */
  constructor(entries: Iterable<readonly [Value, Value]> | FieldEntries, missing?: Value) {
    this.#entries = entries instanceof FieldEntries ? entries : new KeyedEntries(entries);
    this.#missing = missing;
  }

  /** The map of the fields of a JSON object. They are read when they are first asked for. */
  static ofFields(object: Readonly<Record<string, unknown>>, read: (value: unknown) => Value): MapValue {
    return new MapValue(new FieldEntries(object, read));
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: Value): Value | undefined {
    return this.#entries.get(key) ?? this.#missing;
  }

  has(key: Value): boolean {
    return this.#entries.get(key) !== undefined;
  }

  entries(): readonly (readonly [Value, Value])[] {
    return this.#entries.all();
  }
}

class KeyedEntries implements Entries {
  readonly #byText: ReadonlyMap<string, readonly [Value, Value]>;

  constructor(entries: Iterable<readonly [Value, Value]>) {
    this.#byText = new Map([...entries].map((entry) => [keyText(entry[0]) ?? '', entry]));
  }

  get size(): number {
    return this.#byText.size;
  }

  get(key: Value): Value | undefined {
    const text = keyText(key);
    return text === undefined ? undefined : this.#byText.get(text)?.[1];
  }

  all(): readonly (readonly [Value, Value])[] {
    return [...this.#byText.values()];
  }
}

class FieldEntries implements Entries {
  readonly #object: Readonly<Record<string, unknown>>;
  readonly #read: (value: unknown) => Value;
  /** Values that were made of objects and lists. */
  readonly #made = new Map<string, Value>();
  #all: readonly (readonly [Value, Value])[] | undefined;

  constructor(object: Readonly<Record<string, unknown>>, read: (value: unknown) => Value) {
    this.#object = object;
    this.#read = read;
  }

  get size(): number {
    return this.all().length;
  }

  get(key: Value): Value | undefined {
    if (typeof key !== 'string') return undefined;
    const value = this.#object[key];
    if (value === undefined || (key in Object.prototype && !Object.hasOwn(this.#object, key))) return undefined;
    return this.#valueOf(key, value);
  }

  all(): readonly (readonly [Value, Value])[] {
    if (this.#all) return this.#all;
    const all: (readonly [Value, Value])[] = [];
    for (const key of Object.keys(this.#object)) {
      const value = this.#object[key];
      if (value !== undefined) all.push([key, this.#valueOf(key, value)]);
    }
    this.#all = all;
    return all;
  }

  #valueOf(key: string, value: unknown): Value {
    if (typeof value !== 'object' || value === null) return this.#read(value);
    const known = this.#made.get(key);
    if (known !== undefined) return known;
    const made = this.#read(value);
    this.#made.set(key, made);
    return made;
  }
}

/** Keys that are equal have the same text: 1, 1u and 1.0 are one key. Undefined for a value that cannot be a key. */
export function keyText(key: Value): string | undefined {
  if (typeof key === 'string') return `s${key}`;
  if (typeof key === 'bigint') return `n${key}`;
  if (typeof key === 'number') return Number.isInteger(key) ? `n${BigInt(key)}` : `d${key}`;
  if (typeof key === 'boolean') return `b${key}`;
  return key instanceof Uint ? `n${key.value}` : undefined;
}

/** An object with the fields of a schema; they are converted when they are first read. */
export class ObjectValue {
  readonly typeName: string;
  readonly #fields: ReadonlyMap<string, () => Value>;
  readonly #read = new Map<string, Value>();

  constructor(typeName: string, fields: ReadonlyMap<string, () => Value>) {
    this.typeName = typeName;
    this.#fields = fields;
  }

  get(name: string): Value | undefined {
    const known = this.#read.get(name);
    if (known !== undefined) return known;
    const value = this.#fields.get(this.#fieldOf(name))?.();
    if (value !== undefined) this.#read.set(name, value);
    return value;
  }

  has(name: string): boolean {
    return this.#fields.has(this.#fieldOf(name));
  }

  #fieldOf(name: string): string {
    return this.#fields.has(name) ? name : (escapedKeyword(name) ?? name);
  }

  names(): string[] {
    return [...this.#fields.keys()];
  }
}

/** A value that may be missing. */
export class Optional {
  readonly value: Value | undefined;

  constructor(value?: Value) {
    this.value = value;
  }
}

export const none = new Optional();

/** A type as a value: what `type(x)` gives. */
export class TypeValue {
  readonly type: string;

  constructor(type: string) {
    this.type = type;
  }
}

/** A value of a library: a quantity, an address. */
export class Opaque {
  readonly type: CelType;
  readonly held: unknown;
  /** Whether it was added up: Kubernetes cannot compare anything to such a quantity. */
  readonly isSum: boolean;

  constructor(type: CelType, held: unknown, isSum = false) {
    this.type = type;
    this.held = held;
    this.isSum = isSum;
  }
}

/** The name of the type of a value, as `type()` tells it. */
export function typeNameOf(value: Value): string {
  if (value === null) return 'null_type';
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int';
    case 'number':
      return 'double';
    case 'string':
      return 'string';
    default:
  }
  if (value instanceof Uint8Array) return 'bytes';
  if (value instanceof Uint) return 'uint';
  if (value instanceof Duration) return 'google.protobuf.Duration';
  if (value instanceof Timestamp) return 'google.protobuf.Timestamp';
  if (value instanceof List) return 'list';
  if (value instanceof MapValue) return 'map';
  if (value instanceof ObjectValue) return value.typeName;
  if (value instanceof Optional) return 'optional_type';
  if (value instanceof TypeValue) return 'type';
  if (value instanceof Opaque) return value.type.name;
  return dyn.name;
}

/** Length as expressions count it: code points, bytes, elements; 1 for everything that has none. */
export function sizeOf(value: Value): number {
  if (typeof value === 'string') return value.length;
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof List) return value.items.length;
  if (value instanceof MapValue) return value.size;
  return 1;
}
