import { type Resumable, runToCompletion } from '@slipway/api-machinery/event-loop/resumable';
import { runInSlices } from '@slipway/api-machinery/event-loop/run-in-slices';
import { type KubeObject, stringifyJson } from '@slipway/kube';
import { withoutManagedFields } from '@slipway/object-store/parsed-objects';
import type { EncodedText, Entry } from '@slipway/object-store/store';
import type { ResourceDefinition } from '../registry/resource-definition.js';
import { type Piece, type TextSource, textOfPiece } from '../request/pieces.js';
import type { JsonPayload } from '../request/request.js';

// Kubernetes ends every document with a newline, and so do we.

/** A stored object in the version that is served: as it is stored, or seen through the definition's view. */
export interface Served {
  readonly json: string;
  readonly object: KubeObject;
  /** The object without managed fields, where that is there. */
  readonly lean?: KubeObject;
  /** The metadata of that. */
  readonly leanMetadata?: KubeObject['metadata'];
  /** The object's metadata where it is there without the rest. */
  readonly metadata?: KubeObject['metadata'];
  /** `metadata`, if it is known without parsing. */
  readonly metadataIfKnown?: KubeObject['metadata'] | undefined;
  /** Characters of its text, where that is known without making it. */
  readonly size?: number;
  /** As `size`; while the text was not made, that of the text that it will be made of. */
  readonly approximateSize?: number;
  /** How long the part of its text is that says its metadata, in UTF-8, noted by who looked for it; 0 until then. */
  metadataBytes?: number;
  /** Parses a large object in slices; afterwards `object` has it for a while. */
  parsing?(): Resumable<void>;
  /** Its text in the form in which it is kept. */
  encoded?(): EncodedText | string;
}

/** Longer objects rarely share parts with others, and looking for shared parts would block for too long. */
const longestShared = 128 * 1024;

/** Returns an object with the metadata of a document, parsing the rest only if it must. */
export function bareOf(served: Served): Pick<KubeObject, 'metadata'> {
  return served.metadata ? { metadata: served.metadata } : served.object;
}

/** The object without managed fields. */
export function leanOf(served: Pick<Served, 'object' | 'lean' | 'size' | 'approximateSize'>): KubeObject {
  const shared = isShared(served) ? served.lean : undefined;
  return shared ?? withoutManagedFields(served.object);
}

/** Returns an object with the metadata of a document without managed fields, parsing the rest only if it must. */
export function leanBareOf(served: Served): Pick<KubeObject, 'metadata'> {
  const metadata = isShared(served) ? served.leanMetadata : undefined;
  return metadata ? { metadata } : withoutManagedFields(bareOf(served));
}

/** Parses an object in slices if it is so large that it would block for long. Undefined for all others. */
export function parseIfLarge(served: Served): Promise<void> | undefined {
  return isShared(served) || !served.parsing ? undefined : runInSlices(served.parsing());
}

function isShared({ size = 0, approximateSize = size }: Pick<Served, 'size' | 'approximateSize'>): boolean {
  return approximateSize <= longestShared;
}

/** Whether an entry has a view that was made for a definition. */
export function isViewed(definition: ResourceDefinition, entry: Entry): boolean {
  return viewed.get(entry)?.has(definition) ?? false;
}

/** Takes an object as the view of an entry: that of a definition whose objects a webhook converts. */
export function rememberView(definition: ResourceDefinition, entry: Entry, object: KubeObject): void {
  viewsOf(entry).set(definition, { object, json: stringifyJson(object) });
}

function viewsOf(entry: Entry): Map<ResourceDefinition, Served> {
  const known = viewed.get(entry) ?? new Map<ResourceDefinition, Served>();
  viewed.set(entry, known);
  return known;
}

const viewed = new WeakMap<Entry, Map<ResourceDefinition, Served>>();

/** The entry as `definition` serves it. Without a view that is the entry itself: nothing is encoded again. */
export function serve(definition: ResourceDefinition, entry: Entry): Served {
  const view = definition.view;
  if (!view) return entry;
  const byDefinition = viewsOf(entry);
  let served = byDefinition.get(definition);
  if (!served) {
    if (definition.conversion && entry.object.apiVersion !== `${definition.group}/${definition.version}`) {
      throw new TypeError(`${entry.resource} "${entry.name}" was not converted before it is served`);
    }
    const object = view.fromStored(entry.object);
    served = { object, json: object === entry.object ? entry.json : stringifyJson(object) };
    byDefinition.set(definition, served);
  }
  return served;
}

/** A document that exists in both forms, or is encoded when first needed. */
export function servedPayload(served: Served): JsonPayload {
  return { text: () => `${served.json}\n`, value: () => served.object };
}

/** A document made for this answer. */
export function valuePayload(value: unknown): JsonPayload {
  return { text: () => `${stringifyJson(value)}\n`, value: () => value, made: value };
}

/** All of a document in one text. */
export function wholeText(payload: JsonPayload): string {
  const text = payload.text();
  return typeof text === 'string' ? text : Array.from(text, textOfPiece).join('');
}

/** Metadata of a list. */
export interface ListMeta {
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

/** A document that ends with a list under `field`, whose elements are encoded one by one, when their turn comes. */
export interface LongDocument<Item> {
  readonly head: { readonly kind: string; readonly apiVersion: string; readonly metadata: ListMeta };
  readonly field: 'items' | 'rows';
  readonly items: readonly Item[];
  readonly encode: (item: Item) => Piece | readonly Piece[];
  readonly value: (item: Item) => unknown;
  /** As `value`, without the managed fields of objects; where it is absent `value` has none. */
  readonly lean?: (item: Item) => unknown;
  /** Characters that `value` parses, 0 if it is not known; where it is absent nothing is parsed. */
  readonly parsed?: (item: Item) => number;
}

/** Items, and characters of their texts, that are parsed between two yields. */
const [maxItems, maxParsed] = [10, 16 * 1024];

/** A list of any length: its text is never there as a whole. */
export function longPayload<Item>(document: LongDocument<Item>): JsonPayload {
  const { head, field, items, value, lean = value, parsed = () => 0 } = document;
  const reading = function* (isLean = false): Resumable<unknown> {
    const values: unknown[] = [];
    let [count, characters] = [0, 0];
    for (const item of items) {
      values.push(isLean ? lean(item) : value(item));
      count++;
      characters += parsed(item);
      if (count < maxItems && characters < maxParsed) continue;
      yield;
      [count, characters] = [0, 0];
    }
    return { ...head, [field]: values };
  };
  return { text: () => piecesOf(document), value: () => runToCompletion(reading()), reading };
}

/** A list whose items are already encoded: concatenated, never parsed or encoded again. */
export function listPayload(
  head: LongDocument<Served>['head'],
  items: readonly Served[],
  { encode = pieceOf, value = ({ object }) => object }: Partial<Pick<LongDocument<Served>, 'encode' | 'value'>> = {},
): JsonPayload {
  const parsed = ({ size = 0 }: Served) => size;
  return longPayload({ head, field: 'items', items, encode, value, lean: leanOf, parsed });
}

/** The document as it is kept. What has no size yet was not encoded. */
export function pieceOf(served: Served): Piece {
  const { encoded, size = 0 } = served;
  return encoded !== undefined && size > 0 ? (served as TextSource) : served.json;
}

function* piecesOf<Item>({ head, field, items, encode }: LongDocument<Item>): Generator<Piece> {
  yield `${stringifyJson(head).slice(0, -1)},"${field}":[`;
  for (const [index, item] of items.entries()) {
    if (index > 0) yield ',';
    const text = encode(item);
    if (Array.isArray(text)) yield* text;
    else yield text as Piece;
  }
  yield ']}\n';
}
