import type { FieldSet } from './field-set.js';
import type { ManagedFieldsEntry } from './managers.js';

/** Enough for the kinds and writers of a cluster; what is beyond is simply not shared. */
const most = 4_000;

/**
 * Keeps one copy of what many objects have alike: objects that one writer makes
 * within a second are owned alike, and later their fields still are. What comes
 * out is frozen, and must not have been changed by anybody else meanwhile.
 */
export class ManagedFieldsPool {
  readonly #entries = new Pool<readonly ManagedFieldsEntry[]>();
  readonly #fields = new Pool<FieldSet>();

  shared(entries: readonly ManagedFieldsEntry[]): readonly ManagedFieldsEntry[] {
    return this.#entries.get(JSON.stringify(entries), () =>
      Object.freeze(entries.map((entry) => Object.freeze({ ...entry, ...this.#withFields(entry) }))),
    );
  }

  /** Sets are shared by their top-level fields, since what tells objects apart is in one of them. */
  #withFields({ fieldsV1 }: ManagedFieldsEntry): Pick<ManagedFieldsEntry, 'fieldsV1'> {
    if (fieldsV1 === undefined || Object.isFrozen(fieldsV1)) return {};
    const result: Record<string, FieldSet> = {};
    for (const element in fieldsV1) {
      const node = fieldsV1[element] as FieldSet;
      result[element] = Object.isFrozen(node) ? node : this.#fields.get(JSON.stringify(node), () => frozen(node));
    }
    return { fieldsV1: Object.freeze(result) };
  }
}

/** Values by their text, the oldest forgotten first. */
class Pool<T> {
  readonly #known = new Map<string, T>();

  get(text: string, make: () => T): T {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const made = make();
    this.#known.set(text, made);
    if (this.#known.size > most) this.#forgetOldest();
    return made;
  }

  #forgetOldest(): void {
    for (const text of this.#known.keys()) {
      this.#known.delete(text);
      return;
    }
  }
}

function frozen(node: FieldSet): FieldSet {
  if (Object.isFrozen(node)) return node;
  for (const element in node) frozen(node[element] as FieldSet);
  return Object.freeze(node);
}
