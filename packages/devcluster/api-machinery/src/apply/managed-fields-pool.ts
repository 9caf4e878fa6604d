import { copyWith } from '@slipway/kube';
import { freezing } from '../event-loop/freezing.js';
import type { Resumable } from '../event-loop/resumable.js';
import { InternPool } from '../json/intern-pool.js';
import { type FieldSet, leaf } from './field-set.js';
import type { ManagedFieldsEntry } from './managers.js';

/**
 * Entries with a longer text are hardly alike: looking for what they share, and keeping it, costs more than it gives.
 */
const longestShared = 32 * 1024;

/**
 * Keeps one copy of equal managed fields: objects that one writer creates within a
 * second have equal entries, and later still equal field sets. Results are frozen;
 * callers must not change entries that they pass in.
 */
export class ManagedFieldsPool {
  readonly #entries = new InternPool<ManagedFieldsEntry>();
  readonly #fields = new InternPool<FieldSet>();

  /** Entries that are frozen are taken as they are: whoever wrote has not touched them. */
  *shared(entries: readonly ManagedFieldsEntry[]): Resumable<readonly ManagedFieldsEntry[]> {
    const shared: ManagedFieldsEntry[] = [];
    for (const entry of entries) {
      shared.push(Object.isFrozen(entry) ? entry : yield* this.#entry(entry));
      yield;
    }
    return Object.freeze(shared);
  }

  *#entry(entry: ManagedFieldsEntry): Resumable<ManagedFieldsEntry> {
    const { fieldsV1 } = entry;
    const isKnownLong = fieldsV1 !== undefined && isLong(fieldsV1);
    if (isKnownLong) yield;
    const text = isKnownLong ? undefined : JSON.stringify(entry);
    if (text === undefined || text.length > longestShared) {
      if (fieldsV1) yield* freezing(fieldsV1);
      return Object.freeze(entry);
    }
    return this.#entries.get(text, () =>
      Object.freeze(copyWith(entry, fieldsV1 && { fieldsV1: this.#withParts(fieldsV1) })),
    );
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

/** A field takes at least this many characters: two quotes, a colon, two braces, and a comma or another brace. */
const shortestField = 6;

/** Whether a set has so many fields that its text is longer than what is shared, without making the text. */
function isLong(set: FieldSet): boolean {
  let left = longestShared / shortestField;
  const count = (node: FieldSet): void => {
    for (const element in node) {
      if (--left < 0) return;
      count(node[element] as FieldSet);
    }
  };
  count(set);
  return left < 0;
}
