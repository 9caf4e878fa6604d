import { isJsonObject } from '../json/json-value.js';

/**
 * Which values of an object are as they were. An update asks that of an object, then of its fields, then of theirs: what
 * was found out about a part is kept, so that a deep object is compared once rather than once for each level.
 */
export class UnchangedValues {
  readonly #known = new WeakMap<object, { readonly old: unknown; readonly isSame: boolean }>();

  /** Whether two JSON values are equal, whatever the order of names. */
  has(value: unknown, old: unknown): boolean {
    if (value === old) return true;
    if (typeof value !== 'object' || value === null) return false;
    const before = this.#known.get(value);
    if (before && before.old === old) return before.isSame;
    const isSame = this.#compare(value, old);
    this.#known.set(value, { old, isSame });
    return isSame;
  }

  #compare(value: object, old: unknown): boolean {
    if (Array.isArray(value)) {
      return (
        Array.isArray(old) && value.length === old.length && value.every((item, index) => this.has(item, old[index]))
      );
    }
    if (!isJsonObject(value) || !isJsonObject(old)) return false;
    const names = Object.keys(value);
    return (
      names.length === Object.keys(old).length &&
      names.every((name) => Object.hasOwn(old, name) && this.has(value[name], old[name]))
    );
  }
}
