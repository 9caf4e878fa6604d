import { InternPool } from '@slipway/api-machinery/json/intern-pool';
import { setOwn } from '@slipway/api-machinery/json/json-value';
import { type KubeObject, type ObjectMeta, parseJson, stringifyJson } from '@slipway/kube';

/** So many objects stay for those who look at them soon: what follows on a write. */
const maxRecent = 128;
/** Parts that are found again: those of the writes of a second or two. */
const maxParts = 4_000;
/** Parts with longer texts are hardly alike. */
const longest = 2_000;

/** Whoever has an object to let go of. */
export interface ObjectHolder {
  forgetObject(): void;
}

/** Keeps the objects that were used last, and one copy of what they have alike. */
export class ParsedObjects {
  readonly #holders: (ObjectHolder | undefined)[] = [];
  readonly #parts = new InternPool<object>(maxParts);
  readonly #texts = new InternPool<string>(maxParts);
  #next = 0;

  /** It has an object now. Who came long before it is to forget its own: the text is enough. */
  note(holder: ObjectHolder): void {
    const oldest = this.#holders[this.#next];
    this.#holders[this.#next] = holder;
    this.#next = (this.#next + 1) % maxRecent;
    if (oldest !== holder) oldest?.forgetObject();
  }

  /** One copy of a text that many objects have. */
  sharedText(text: string): string {
    return this.#texts.get(text, () => text);
  }

  /**
   * The frozen object that a JSON text says, without its managed fields, made of parts that others have as well: pods
   * of one template are the same but for their names, addresses and times, and so are two states of one object.
   */
  lean(json: string, known?: ObjectMeta): KubeObject {
    const object = parseJson(json) as KubeObject;
    const metadata = known ?? this.leanMetadata(object.metadata);
    // What is frozen has its parts already.
    return this.#ofSharedParts(Object.assign(object, { metadata })) as KubeObject;
  }

  /** The frozen metadata of a lean object; with it, `lean` gives an object that has the same one. */
  leanMetadata({ managedFields: _, ...metadata }: ObjectMeta): ObjectMeta {
    // An object as it was parsed is smaller than one that was made of another.
    return this.#ofSharedParts(parseJson(stringifyJson(metadata)) as ObjectMeta);
  }

  #shared(value: unknown): unknown {
    if (typeof value === 'string') return value.length > longest ? value : this.sharedText(value);
    if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
    const text = stringifyJson(value);
    return text.length > longest ? this.#ofSharedParts(value) : this.#parts.get(text, () => this.#ofSharedParts(value));
  }

  /** The caller must hold the only reference to `value`. */
  #ofSharedParts<T extends object>(value: T): T {
    if (Array.isArray(value)) {
      for (const [index, part] of value.entries()) value[index] = this.#shared(part);
      return Object.freeze(value);
    }
    const fields = value as Record<string, unknown>;
    for (const key of Object.keys(fields)) {
      setOwn(fields, key, this.#shared(fields[key]));
    }
    return Object.freeze(value);
  }
}

/** Returns a frozen object without its managed fields. */
export function withoutManagedFields<T extends Pick<KubeObject, 'metadata'>>(object: T): T {
  if (object.metadata.managedFields === undefined) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return Object.freeze({ ...object, metadata: Object.freeze(metadata) });
}
