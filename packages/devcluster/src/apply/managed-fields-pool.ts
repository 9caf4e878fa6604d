import { SharedValues } from '../sharing/shared-values.js';
import { type FieldSet, leaf } from './field-set.js';
import type { ManagedFieldsEntry } from './managers.js';

/**
 * Keeps one copy of what many objects have alike: objects that one writer makes
 * within a second are owned alike, and later their fields still are. What comes
 * out is frozen, and must not have been changed by anybody else meanwhile.
 */
export class ManagedFieldsPool {
  readonly #entries = new SharedValues<ManagedFieldsEntry>();
  readonly #fields = new SharedValues<FieldSet>();

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
