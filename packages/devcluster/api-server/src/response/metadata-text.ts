import { type KubeObject, stringifyJson } from '@slipway/kube';
import type { EncodedText } from '@slipway/object-store/store';
import type { Piece, TextSource } from '../request/pieces.js';
import { leanOf, type Served } from './payloads.js';

/**
 * The metadata of a document as JSON. A long list cannot afford to write it anew for each object, so it is
 * cut out of the text that is there, wherever its end can be told from the fields that follow it.
 */
export function metadataPiece(
  served: Pick<Served, 'json' | 'object' | 'lean' | 'size' | 'encoded' | 'metadataBytes'>,
): Piece {
  const cut = cutOf(leanOf(served));
  if (!cut) return stringifyJson(served.object.metadata);
  const { encoded, size = 0 } = served;
  if (encoded !== undefined && size > 0) return new MetadataSource(served as KeptDocument, cut);
  return cutFrom(served.json, cut) ?? stringifyJson(served.object.metadata);
}

interface KeptDocument extends TextSource {
  readonly object: KubeObject;
  metadataBytes?: number;
}

/** Its text is looked for when it is written: until then it may be somewhere else. */
class MetadataSource implements TextSource {
  readonly #document: KeptDocument;
  readonly #cut: Cut;

  constructor(document: KeptDocument, cut: Cut) {
    this.#document = document;
    this.#cut = cut;
  }

  /** At most. */
  get size(): number {
    return this.#document.size;
  }

  encoded(): EncodedText | string {
    const text = this.#document.encoded();
    const part = typeof text === 'string' ? cutFrom(text, this.#cut) : this.#cutFrom(text);
    return part ?? stringifyJson(this.#document.object.metadata);
  }

  #cutFrom(text: EncodedText): EncodedText | undefined {
    const { metadataBytes = 0 } = this.#document;
    const part = metadataBytes > 0 ? knownPart(text, this.#cut, metadataBytes) : cutFromBytes(text, this.#cut);
    if (part) this.#document.metadataBytes = part.end - part.start;
    return part;
  }
}

function knownPart({ bytes, start }: EncodedText, cut: Cut, length: number): EncodedText {
  return { bytes, start: start + cut.start, end: start + cut.start + length };
}

/** Where in a text the metadata begins, and what its last brace is followed by, with that; undefined at the end of the text. */
interface Cut {
  readonly start: number;
  readonly next: string | undefined;
}

function cutOf(object: KubeObject): Cut | undefined {
  const [first, second, third, next] = Object.keys(object);
  if (first !== 'apiVersion' || second !== 'kind' || third !== 'metadata') return undefined;
  if (next !== undefined && (!/^[A-Za-z][A-Za-z0-9]*$/.test(next) || withinMetadata.has(next))) return undefined;
  const start = `{"apiVersion":"${object.apiVersion}","kind":"${object.kind}",${field}`.length - 1;
  // Quotes within texts are escaped, so only a field of the metadata could look like the one behind it.
  return { start, next: next === undefined ? undefined : `},"${next}":` };
}

/** What comes before the metadata, and its brace. */
const field = '"metadata":{';
const fieldBytes = Buffer.from(field);

function cutFrom(json: string, { start, next }: Cut): string | undefined {
  const end = next === undefined ? json.length - 1 : json.indexOf(next, start) + 1;
  return end > start && json.startsWith(field, start + 1 - field.length) ? json.slice(start, end) : undefined;
}

function cutFromBytes({ bytes, start, end }: EncodedText, cut: Cut): EncodedText | undefined {
  // The letters before it are ASCII, of which each is a byte.
  const from = start + cut.start;
  const to = cut.next === undefined ? end - 1 : bytes.indexOf(cut.next, from, 'latin1') + 1;
  const isThere =
    to > from && to < end && bytes.compare(fieldBytes, 0, field.length, from + 1 - field.length, from + 1) === 0;
  return isThere ? { bytes, start: from, end: to } : undefined;
}

/** Names that may follow a brace somewhere inside metadata; those of maps of fields never consist of letters alone. */
const withinMetadata = new Set([
  ...['name', 'generateName', 'namespace', 'selfLink', 'uid', 'resourceVersion', 'generation', 'creationTimestamp'],
  ...['deletionTimestamp', 'deletionGracePeriodSeconds', 'labels', 'annotations', 'ownerReferences', 'finalizers'],
  ...['managedFields', 'manager', 'operation', 'apiVersion', 'time', 'fieldsType', 'fieldsV1', 'subresource'],
]);
