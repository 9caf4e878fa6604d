import { type KubeObject, stringifyJson } from '@slipway/kube';
import { SharedValues } from '../sharing/shared-values.js';

/** So many objects stay for those who look at them soon: what follows on a write. */
const mostRecent = 1_024;
/** Parts that are found again: those of the writes of a second or two. */
const mostParts = 4_000;
/** Parts with longer texts are hardly alike. */
const longest = 2_000;

/** Whoever has an object to let go of. */
export interface ObjectHolder {
  forgetObject(): void;
}

/** Keeps the objects that were used last, and one copy of what they have alike. */
export class ParsedObjects {
  readonly #holders: (ObjectHolder | undefined)[] = [];
  readonly #parts = new SharedValues<object>(mostParts);
  #next = 0;

  /** It has an object now. Who came long before it is to forget its own: the text is enough. */
  note(holder: ObjectHolder): void {
    const oldest = this.#holders[this.#next];
    this.#holders[this.#next] = holder;
    this.#next = (this.#next + 1) % mostRecent;
    if (oldest !== holder) oldest?.forgetObject();
  }

  /**
   * A frozen object without its managed fields, made of parts that others have as well: pods of one template are the
   * same but for their names, addresses and times, and so are two states of one object.
   */
  lean(object: KubeObject): KubeObject {
    return this.#ofSharedParts(withoutManagedFields(object)) as KubeObject;
  }

  #shared(value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return value;
    const text = stringifyJson(value);
    return text.length > longest ? this.#ofSharedParts(value) : this.#parts.get(text, () => this.#ofSharedParts(value));
  }

  #ofSharedParts(value: object): object {
    if (Array.isArray(value)) return Object.freeze(value.map((part) => this.#shared(part)));
    const copy: Record<string, unknown> = { ...value };
    for (const key of Object.keys(copy)) {
      const part = copy[key];
      // Also what is named as an object's prototype is a field like any other.
      if (typeof part === 'object' && part !== null) Object.defineProperty(copy, key, { value: this.#shared(part) });
    }
    return Object.freeze(copy);
  }
}

/** What is left of an object without its managed fields, frozen as it is. */
export function withoutManagedFields(object: KubeObject): KubeObject {
  if (object.metadata.managedFields === undefined) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return Object.freeze({ ...object, metadata: Object.freeze(metadata) });
}
