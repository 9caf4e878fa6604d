/** A deep copy of a JSON value, so that what is frozen or shared can be changed. Keeps `undefined` out. */
export function copyJson<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyJson) as T;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const inner = (value as Record<string, unknown>)[key];
    if (inner !== undefined && key !== '__proto__') copy[key] = copyJson(inner);
  }
  return copy as T;
}

/** A deep copy whose objects have their keys in order. What is frozen has them so already, and is shared. */
export function sortedCopy<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (Array.isArray(value)) return value.map(sortedCopy) as T;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value).sort()) {
    const inner = (value as Record<string, unknown>)[key];
    if (inner !== undefined && key !== '__proto__') copy[key] = sortedCopy(inner);
  }
  return copy as T;
}
