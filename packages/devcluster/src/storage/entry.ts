import { type KubeObject, type ObjectMeta, parseJson, stringifyJson } from '@slipway/kube';
import { KeptText } from './kept-text.js';
import type { KeptTexts } from './kept-texts.js';
import { type ObjectHolder, type ParsedObjects, withoutManagedFields } from './parsed-objects.js';
import type { Entry } from './store.js';

/** Where an entry belongs, known without parsing it. */
export interface EntryPlace {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/**
 * An entry that knows its place. The object is parsed when asked for and stays for a while; without its
 * managed fields it is shared for as long as somebody holds it. What nobody looks at again is text only.
 */
export class StoredEntry extends KeptText implements Entry, EntryPlace, ObjectHolder {
  readonly resource: string;
  readonly revision: number;
  #namespace: string;
  #name: string;
  #object: KubeObject | undefined;
  #lean: WeakRef<KubeObject> | undefined;
  #parsed: ParsedObjects | undefined;
  #metadata: ObjectMeta | undefined;

  /** A `json` given as a function is called at most once, when first read. `metadata` must be frozen and say what `json` says. */
  constructor(place: EntryPlace, revision: number, json: string | (() => string), metadata?: ObjectMeta) {
    super(json);
    this.resource = place.resource;
    this.#namespace = place.namespace;
    this.#name = place.name;
    this.revision = revision;
    this.#metadata = metadata;
  }

  get namespace(): string {
    return this.#namespace;
  }

  get name(): string {
    return this.#name;
  }

  get json(): string {
    return this.read();
  }

  override get kindOfText(): string {
    return this.resource;
  }

  get metadata(): ObjectMeta {
    return this.#metadata ?? this.object.metadata;
  }

  get object(): KubeObject {
    if (this.#object) return this.#object;
    const object = parsedWith(this.peek(), this.#metadata);
    if (this.#parsed) {
      this.#object = object;
      this.#parsed.note(this);
    }
    return object;
  }

  get lean(): KubeObject {
    const known = this.#lean?.deref();
    if (known) return known;
    const lean = this.#parsed?.lean(this.peek()) ?? withoutManagedFields(this.object);
    this.#lean = new WeakRef(lean);
    return lean;
  }

  /** From now on the object is parsed once for all who look at it soon, and shares its parts with others. */
  shareIn(parsed: ParsedObjects): void {
    this.#parsed = parsed;
    this.#namespace = parsed.sharedText(this.#namespace);
  }

  /** From now on the text is kept by `texts`. */
  keepIn(texts: KeptTexts): void {
    texts.keep(this);
    this.#metadata = undefined;
  }

  /** Others that hold it go on holding it. */
  forgetObject(): void {
    this.#object = undefined;
  }

  /** `next` took its place: who wants this one will parse it again. They are at one place, which is kept once. */
  supersede(next: StoredEntry): void {
    this.#object = undefined;
    this.#lean = undefined;
    next.#name = this.#name;
  }
}

/** What is known of the metadata already, and shared with other objects, is not kept twice. */
function parsedWith(json: string, metadata: ObjectMeta | undefined): KubeObject {
  const object = parseJson(json) as KubeObject;
  if (metadata) object.metadata = metadata;
  return deepFreeze(object);
}

/** The entry of `object` at `revision`. Encodes it, so later changes to `object` do not reach the entry. */
export function entryOf(resource: string, object: KubeObject, revision: number): StoredEntry {
  const { name = '', namespace = '' } = object.metadata;
  const metadata = { ...object.metadata, resourceVersion: String(revision) };
  const json = stringifyJson({ ...object, metadata });
  return new StoredEntry({ resource, namespace, name }, revision, json, frozenCopy(metadata));
}

/** The last state of an object that is stored as `stored` and was removed at `revision`. */
export function tombstoneOf(stored: StoredEntry, revision: number): StoredEntry {
  return new StoredEntry(stored, revision, () => encode(stored.object, revision));
}

/** `namespace/name`, or `name` for a cluster-scoped object; its order is the order of lists. */
export function storageKey(namespace: string, name: string): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

function encode(object: KubeObject, revision: number): string {
  return stringifyJson({ ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } });
}

/** As `JSON.parse(JSON.stringify(value))` has it, frozen. What is frozen, frozen all through, is shared. */
function frozenCopy<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy)) as T;
  const copy: Record<string, unknown> = {};
  for (const [key, part] of Object.entries(value)) if (part !== undefined) copy[key] = frozenCopy(part);
  return Object.freeze(copy) as T;
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}
