import { type FieldSet, leaf } from './field-set.js';
import type { ManagedFieldsEntry } from './managers.js';

/** Enough for the kinds and writers of a cluster; what is beyond is simply not shared. */
const most = 500;

/**
 * Keeps one copy of what many objects have alike: objects that one writer makes
 * within a second are owned alike, and later their fields still are. What comes
 * out is frozen, and must not have been changed by anybody else meanwhile.
 */
export class ManagedFieldsPool {
  readonly #entries = new Pool<ManagedFieldsEntry>();
  readonly #fields = new Pool<FieldSet>();

  /** Entries that are frozen are taken as they are: whoever wrote has not touched them. */
  shared(entries: readonly ManagedFieldsEntry[]): readonly ManagedFieldsEntry[] {
    return Object.freeze(entries.map((entry) => (Object.isFrozen(entry) ? entry : this.#entry(entry))));
  }

  #entry(entry: ManagedFieldsEntry): ManagedFieldsEntry {
    return this.#entries.get(JSON.stringify(entry), () => {
      const { fieldsV1 } = entry;
      return Object.freeze(fieldsV1 === undefined ? { ...entry } : { ...entry, fieldsV1: this.#withParts(fieldsV1) });
    });
  }

  /** What tells objects apart, such as an address, lies deep in a set: what is beside it on the way is shared. */
  #withParts(set: FieldSet): FieldSet {
    if (Object.isFrozen(set)) return set;
    const result: Record<string, FieldSet> = {};
    for (const element in set) result[element] = this.#part(set[element] as FieldSet);
    return Object.freeze(result);
  }

  #part(node: FieldSet): FieldSet {
    if (Object.isFrozen(node)) return node;
    const text = JSON.stringify(node);
    return text === '{}' ? leaf : this.#fields.get(text, () => this.#withParts(node));
  }
}

/** Values by their text. Those that nobody asked for while many others came are forgotten. */
class Pool<T> {
  #recent = new Map<string, T>();
  #before = new Map<string, T>();

  get(text: string, make: () => T): T {
    const known = this.#recent.get(text);
    if (known !== undefined) return known;
    const value = this.#before.get(text) ?? make();
    this.#recent.set(text, value);
    if (this.#recent.size >= most) {
      this.#before = this.#recent;
      this.#recent = new Map();
    }
    return value;
  }
}
