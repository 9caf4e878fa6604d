import { type KubeObject, type ObjectMeta, parseJson, stringifyJson } from '@slipway/kube';
import type { Entry } from './store.js';

/** What the indexes know of an entry without parsing it. */
export interface EntryFacts {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly ownerUids: readonly string[];
}

/**
 * An entry with the facts its indexes need. The object is parsed when asked for and shared for as
 * long as somebody holds it: what informers cache is parsed once, what nobody looks at again is text only.
 */
export class StoredEntry implements Entry, EntryFacts {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly ownerUids: readonly string[];
  readonly revision: number;
  #json: string | (() => string);
  #object: WeakRef<KubeObject> | undefined;
  #metadata: ObjectMeta | undefined;

  /** A `json` given as a function is called at most once, when first read. `metadata` must be frozen and say what `json` says. */
  constructor(facts: EntryFacts, revision: number, json: string | (() => string), metadata?: ObjectMeta) {
    this.resource = facts.resource;
    this.namespace = facts.namespace;
    this.name = facts.name;
    this.uid = facts.uid;
    this.ownerUids = facts.ownerUids;
    this.revision = revision;
    this.#json = json;
    this.#metadata = metadata;
  }

  get json(): string {
    if (typeof this.#json !== 'string') this.#json = this.#json();
    return this.#json;
  }

  get metadata(): ObjectMeta {
    // Whoever looks at the metadata of everything must not make everything stay in memory, parsed.
    this.#metadata ??= this.#object?.deref()?.metadata ?? deepFreeze((JSON.parse(this.json) as KubeObject).metadata);
    return this.#metadata;
  }

  get object(): KubeObject {
    const known = this.#object?.deref();
    if (known) return known;
    const parsed = this.#parsed();
    this.#object = new WeakRef(parsed);
    return parsed;
  }

  /** What is known of the metadata already, and shared with other objects, is not kept twice. */
  #parsed(): KubeObject {
    const object = parseJson(this.json) as KubeObject;
    if (this.#metadata) object.metadata = this.#metadata;
    return deepFreeze(object);
  }
}

/** The entry of `object` at `revision`. Encodes it, so later changes to `object` do not reach the entry. */
export function entryOf(resource: string, object: KubeObject, revision: number): StoredEntry {
  const { name = '', namespace = '', uid = '', ownerReferences = [] } = object.metadata;
  const ownerUids = ownerReferences.map((owner) => owner.uid);
  const metadata = { ...object.metadata, resourceVersion: String(revision) };
  const json = stringifyJson({ ...object, metadata });
  return new StoredEntry({ resource, namespace, name, uid, ownerUids }, revision, json, frozenCopy(metadata));
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
