/** A decoded JSON object. Keys come from the network: read with `own`, write with `setOwn`. */
export type JsonObject = Record<string, unknown>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value a key has in the object itself; `__proto__` and `constructor` are keys like any other. */
export function own(object: Readonly<JsonObject>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Sets a key of an object that the caller made, without ever reaching its prototype. */
export function setOwn(object: JsonObject, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[key] = value;
  }
}

/** Whether two JSON values are equal, whatever the order of keys. */
export function equalJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => equalJson(item, b[index]));
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  let more = 0;
  for (const key in a) {
    if (!Object.hasOwn(b, key) || !equalJson(a[key], b[key])) return false;
    more += 1;
  }
  for (const _ in b) more -= 1;
  return more === 0;
}

/** Returns the name that Go's JSON decoder has for the type of a value; clients see it in messages. */
export function jsonTypeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** Freezes a JSON value with all that is in it. What is frozen is taken to be frozen all through. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const key in value) deepFreeze(value[key]);
  return Object.freeze(value);
}
