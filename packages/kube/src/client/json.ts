/** A deep copy of a JSON value. Keys such as `__proto__` stay ordinary keys. */
export function cloneJson<T>(value: T): T {
  return copy(value) as T;
}

function copy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copy);
  const result: Record<string, unknown> = {};
  for (const key of Object.keys(value)) setOwn(result, key, copy((value as Record<string, unknown>)[key]));
  return result;
}

/** Sets an own property, whatever its name: assigning to `__proto__` would change the prototype instead. */
export function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    target[key] = value;
  }
}

/** Whether two values are the same JSON: an undefined property counts as absent, order of keys does not count. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, index) => sameJson(item, b[index]))
    );
  }
  const left = a as Record<string, unknown>;
  const right = b as Record<string, unknown>;
  const present = (object: Record<string, unknown>) => Object.keys(object).filter((key) => object[key] !== undefined);
  const keys = present(left);
  return (
    keys.length === present(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && sameJson(left[key], right[key]))
  );
}

/**
 * Freezes a JSON value to its leaves and returns it. A value whose root is frozen
 * is taken to be frozen throughout, so freezing what a cache holds costs nothing.
 */
export function freezeJson<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) freezeJson(part);
  }
  return value;
}

/**
 * A copy of `object` with other or more fields, for where there are many. Of most objects V8 (11.3, in Node 20) gives each
 * copy that is written `{ ...object, field }` a hidden class of its own: it takes more room than the copy, and lies in
 * old space until all of that is collected.
 */
export function copyWith<T extends object, More extends object>(
  object: T,
  more: More | undefined,
): Omit<T, keyof More> & More {
  // Assigned, a field of this name would become the prototype of the copy.
  if (Object.hasOwn(object, '__proto__')) return { ...object, ...more } as unknown as Omit<T, keyof More> & More;
  return Object.assign({}, object, more) as Omit<T, keyof More> & More;
}
