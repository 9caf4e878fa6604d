import type { Resumable } from '@slipway/api-machinery/event-loop/resumable';
import { deepFreeze, setOwn } from '@slipway/api-machinery/json/json-value';
import { parsingJson } from '@slipway/api-machinery/json/parse-in-slices';
import { copyWith, type KubeObject, type ObjectMeta, parseJson, stringifyJson } from '@slipway/kube';
import { OffHeapText } from './off-heap-text.js';
import type { KeepsTexts } from './off-heap-texts.js';
import { type ObjectHolder, type ParsedObjects, withoutManagedFields } from './parsed-objects.js';
import { stringifyOfParts } from './part-texts.js';
import type { Entry } from './store.js';

/** Where an entry belongs, known without parsing it. */
export interface EntryPlace {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/**
 * An entry that knows its place. The object is parsed when asked for and stays for a while; without its
 * managed fields it is shared while it is referenced. What is not read again is text only.
 */
export class StoredEntry extends OffHeapText implements Entry, EntryPlace, ObjectHolder {
  readonly resource: string;
  readonly revision: number;
  metadataBytes = 0;
  #namespace: string;
  #name: string;
  #object: KubeObject | undefined;
  #lean: WeakRef<KubeObject> | undefined;
  #leanMetadata: WeakRef<ObjectMeta> | undefined;
  #parsed: ParsedObjects | undefined;
  #metadata: ObjectMeta | undefined;

  /**
   * A `json` given as a function is called at most once, when first read. `metadata` must be frozen and say what `json`
   * says.
   */
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

  get approximateSize(): number {
    return this.size;
  }

  override get kindOfText(): string {
    return this.resource;
  }

  get metadata(): ObjectMeta {
    return this.metadataIfKnown ?? this.object.metadata;
  }

  get metadataIfKnown(): ObjectMeta | undefined {
    return this.#metadata ?? this.#object?.metadata;
  }

  get object(): KubeObject {
    if (this.#object) return this.#object;
    const object = parsedWith(this.peek(), this.#metadata);
    this.#keep(object);
    return object;
  }

  *parsing(): Resumable<void> {
    if (this.#object || !this.#parsed) return;
    const { value } = yield* parsingJson(this.peek(), { isFrozen: true });
    const object = value as KubeObject;
    this.#keep(this.#metadata ? Object.freeze(copyWith(object, { metadata: this.#metadata }) as KubeObject) : object);
  }

  #keep(object: KubeObject): void {
    if (!this.#parsed) return;
    this.#object ??= object;
    this.#parsed.note(this);
  }

  get lean(): KubeObject {
    const known = this.leanIfKnown;
    if (known) return known;
    const lean = this.#parsed?.lean(this.peek(), this.#leanMetadata?.deref()) ?? withoutManagedFields(this.object);
    this.#lean = new WeakRef(lean);
    this.#leanMetadata = undefined;
    return lean;
  }

  /** The lean object, while it is referenced. */
  get leanIfKnown(): KubeObject | undefined {
    return this.#lean?.deref();
  }

  get leanMetadata(): ObjectMeta {
    const known = this.leanIfKnown?.metadata ?? this.#leanMetadata?.deref();
    if (known) return known;
    if (!this.#metadata || !this.#parsed) return this.lean.metadata;
    const metadata = this.#parsed.leanMetadata(this.#metadata);
    this.#leanMetadata = new WeakRef(metadata);
    return metadata;
  }

  /** Takes a frozen object as the parsed text, so that it need not be parsed. */
  adopt(object: KubeObject): void {
    this.#object = object;
  }

  /** From now on the object is parsed once for all who look at it soon, and shares its parts with others. */
  shareIn(parsed: ParsedObjects): void {
    this.#parsed = parsed;
    this.#namespace = parsed.sharedText(this.#namespace);
  }

  /** From now on the text is kept by `texts`. */
  keepIn(texts: KeepsTexts): void {
    texts.keep(this);
    // Who looks at a write looks at it soon.
    if (this.#metadata) this.#parsed?.note(this);
  }

  /** Others that hold it go on holding it. */
  forgetObject(): void {
    this.#object = undefined;
    this.#metadata = undefined;
  }

  /** `next` took its place: who wants this one will parse it again. They are at one place, which is kept once. */
  supersede(next: StoredEntry): void {
    this.forgetObject();
    this.#lean = undefined;
    this.#leanMetadata = undefined;
    next.#name = this.#name;
  }
}

/** What is known of the metadata already, and shared with other objects, is not kept twice. */
function parsedWith(json: string, metadata: ObjectMeta | undefined): KubeObject {
  const object = parseJson(json) as KubeObject;
  if (metadata) object.metadata = metadata;
  return deepFreeze(object);
}

/**
 * The entry of `object` at `revision`. Encodes it, so later changes to `object` do not reach the entry.
 * Of one that is frozen, frozen all through, the parts are shared.
 */
export function entryOf(resource: string, object: KubeObject, revision: number): StoredEntry {
  const { name = '', namespace = '' } = object.metadata;
  const metadata = copyWith(object.metadata, { resourceVersion: String(revision) });
  const whole = copyWith(object, { metadata }) as KubeObject;
  // Only what is frozen was encoded before.
  const json = Object.isFrozen(object) ? stringifyOfParts(whole) : stringifyJson(whole);
  const entry = new StoredEntry({ resource, namespace, name }, revision, json, frozenCopy(metadata));
  if (Object.isFrozen(object)) entry.adopt(Object.freeze(copyWith(object, { metadata: entry.metadata }) as KubeObject));
  return entry;
}

/** The last state of an object that is stored as `stored` and was removed at `revision`. */
export function tombstoneOf(stored: StoredEntry, revision: number): StoredEntry {
  return new Tombstone(stored, revision);
}

/** Made of what there is of the state before: most of those who hear of it have that one still. */
class Tombstone extends StoredEntry {
  readonly #stored: StoredEntry;
  readonly #before: WeakRef<KubeObject> | undefined;

  constructor(stored: StoredEntry, revision: number) {
    const { metadataIfKnown } = stored;
    super(stored, revision, () => stringifyJson(this.object), metadataIfKnown && metadataAt(metadataIfKnown, revision));
    this.#stored = stored;
    const before = stored.leanIfKnown;
    this.#before = before && new WeakRef(before);
  }

  override get object(): KubeObject {
    return atRevision(this.#stored.object, this.revision);
  }

  override get lean(): KubeObject {
    const before = this.#before?.deref();
    return before ? atRevision(before, this.revision) : withoutManagedFields(this.object);
  }

  override get leanMetadata(): ObjectMeta {
    const before = this.#before?.deref();
    return before
      ? metadataAt(before.metadata, this.revision)
      : withoutManagedFields({ metadata: this.metadata }).metadata;
  }

  override get approximateSize(): number {
    return this.#stored.size;
  }

  override parsing(): Resumable<void> {
    return this.#stored.parsing();
  }
}

function atRevision(object: KubeObject, revision: number): KubeObject {
  return Object.freeze(copyWith(object, { metadata: metadataAt(object.metadata, revision) }) as KubeObject);
}

function metadataAt(metadata: ObjectMeta, revision: number): ObjectMeta {
  return Object.freeze(copyWith(metadata, { resourceVersion: String(revision) }));
}

/** `namespace/name`, or `name` for a cluster-scoped object; its order is the order of lists. */
export function storageKey(namespace: string, name: string): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

/** As `JSON.parse(JSON.stringify(value))` has it, frozen. What is frozen, frozen all through, is shared. */
function frozenCopy<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy)) as T;
  const copy: Record<string, unknown> = {};
  for (const [key, part] of Object.entries(value)) if (part !== undefined) setOwn(copy, key, frozenCopy(part));
  return Object.freeze(copy) as T;
}
