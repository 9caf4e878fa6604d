import { exactInteger } from '@slipway/kube';
import { type JsonObject, setOwn } from '../json/json-value.js';
import { type JsonDocument, readJson, valueLimit } from './json-scanner.js';
import type { Field, Message, ScalarName } from './message-table.js';

/** The bytes are not the message they should be. */
export class ProtobufError extends Error {
  override readonly name = 'ProtobufError';
}

/** What the envelope of `application/vnd.kubernetes.protobuf` says, and the bytes of the object in it. */
export interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Uint8Array;
}

/** Objects deeper than this are refused; only schemas in CustomResourceDefinitions nest at all. */
const depthLimit = 500;
const magic = [0x6b, 0x38, 0x73, 0x00];

/** Reads the four bytes and the `runtime.Unknown` that stand before every object. @throws ProtobufError */
export function readEnvelope(body: Uint8Array): Envelope {
  if (body.length === 0) throw new ProtobufError('empty data');
  if (magic.some((byte, index) => body[index] !== byte)) {
    throw new ProtobufError(
      `provided data does not appear to be a protobuf message, expected prefix [${magic.join(' ')}]`,
    );
  }
  const reader = new Reader(body.subarray(magic.length));
  let type = { apiVersion: '', kind: '' };
  let raw: Uint8Array = new Uint8Array();
  while (reader.next()) {
    const { number, wireType } = reader;
    if (number === 1 && wireType === 2) type = readTypeMeta(reader.inside());
    else if (number === 2 && wireType === 2) raw = reader.bytes();
    else if (number === 3 && wireType === 2 && reader.bytes().length > 0) {
      throw new ProtobufError('content encoding of the object is not supported');
    } else if (number !== 3) reader.skip(wireType);
  }
  return { ...type, raw };
}

function readTypeMeta(reader: Reader): { apiVersion: string; kind: string } {
  const type = { apiVersion: '', kind: '' };
  while (reader.next()) {
    const { number, wireType } = reader;
    if (number === 1 && wireType === 2) type.apiVersion = reader.text();
    else if (number === 2 && wireType === 2) type.kind = reader.text();
    else reader.skip(wireType);
  }
  return type;
}

/**
 * Decodes a message to the JSON object it stands for. Numbers the table does not
 * know are skipped. Zero values are left in place, see `admitMessage`.
 * @throws ProtobufError for truncated or lying bytes
 */
export function decodeMessage(message: Message, bytes: Uint8Array): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  readInto(object, message, new Reader(bytes), new Depth(0, { values: 0 }));
  return object;
}

/** How deep the message being read is in others, and how much was read of all of them. */
class Depth {
  readonly #level: number;
  readonly #read: { values: number };

  constructor(level: number, read: { values: number }) {
    if (level > depthLimit) throw new ProtobufError('exceeded max depth');
    this.#level = level;
    this.#read = read;
  }

  get below(): Depth {
    return new Depth(this.#level + 1, this.#read);
  }

  /** More fields, known or not, or elements. */
  count(values = 1): void {
    this.#read.values += values;
    if (this.#read.values > valueLimit) throw new ProtobufError('exceeded max number of values');
  }
}

function readInto(object: Record<string, unknown>, message: Message, reader: Reader, depth: Depth): void {
  while (reader.next()) {
    const { number, wireType } = reader;
    depth.count();
    const field = message.byNumber.get(number);
    if (!field) reader.skip(wireType);
    else if (field.inline)
      readInto(object, field.message as Message, lengthDelimited(reader, wireType, field), depth.below);
    else if (field.shape === 'map') readMapEntry(object, field, lengthDelimited(reader, wireType, field), depth);
    else if (field.shape === 'list') readListElements(object, field, reader, wireType, depth);
    else object[field.name] = readValue(field, reader, wireType, depth);
  }
}

function readListElements(
  object: Record<string, unknown>,
  field: Field,
  reader: Reader,
  wireType: number,
  depth: Depth,
): void {
  object[field.name] ??= [];
  const list = object[field.name] as unknown[];
  const packed = wireType === 2 && field.scalar !== undefined && field.scalar !== 'string' && field.scalar !== 'bytes';
  if (!packed) {
    list.push(readValue(field, reader, wireType, depth));
    return;
  }
  const inner = reader.inside();
  while (!inner.done) {
    depth.count();
    list.push(readScalar(field, inner, field.scalar === 'double' ? 1 : 0));
  }
}

function readMapEntry(object: Record<string, unknown>, field: Field, reader: Reader, depth: Depth): void {
  object[field.name] ??= {};
  let key = '';
  let value: unknown;
  while (reader.next()) {
    const { number, wireType } = reader;
    if (number === 1) key = textOf(reader, wireType, field);
    else if (number === 2) value = readValue(field, reader, wireType, depth);
    else reader.skip(wireType);
  }
  setOwn(object[field.name] as JsonObject, key, value ?? null);
}

function readValue(field: Field, reader: Reader, wireType: number, depth: Depth): unknown {
  const { message } = field;
  if (!message) return readScalar(field, reader, wireType);
  const inner = lengthDelimited(reader, wireType, field);
  if (message.encoding !== undefined) return readEncoded(message, inner, depth);
  const object: Record<string, unknown> = {};
  readInto(object, message, inner, depth.below);
  return object;
}

const wireTypeOf: Record<ScalarName, number> = { string: 2, bytes: 2, bool: 0, int32: 0, int64: 0, double: 1 };

function readScalar(field: Field, reader: Reader, wireType: number): unknown {
  const scalar = field.scalar as ScalarName;
  if (wireType !== wireTypeOf[scalar]) throw wrongWireType(wireType, field);
  switch (scalar) {
    case 'string':
      return reader.text();
    case 'bytes':
      return reader.base64();
    case 'bool':
      return reader.varint() !== 0n;
    case 'double':
      return reader.double();
    case 'int32':
      return Number(BigInt.asIntN(32, reader.varint()));
    case 'int64':
      return exactInteger(BigInt.asIntN(64, reader.varint()));
  }
}

/** Leaf messages: their JSON is one value. */
function readEncoded(message: Message, reader: Reader, depth: Depth): unknown {
  const parts: Record<string, unknown> = {};
  readInto(parts, message, reader, depth.below);
  const seconds = () => Number(parts.seconds ?? 0);
  const nanos = () => Number(parts.nanos ?? 0);
  switch (message.encoding) {
    case 'time':
      return seconds() === 0 && nanos() === 0 ? null : `${instant(seconds()).slice(0, 19)}Z`;
    case 'microTime': {
      const micros = String(Math.floor(nanos() / 1_000)).padStart(6, '0');
      return seconds() === 0 && nanos() === 0 ? null : `${instant(seconds()).slice(0, 19)}.${micros}Z`;
    }
    case 'duration':
      return `${Number(parts.duration ?? 0) / 1e9}s`;
    case 'quantity':
      return parts.string ?? '0';
    case 'intOrString':
      return parts.type === 1 ? (parts.strVal ?? '') : (parts.intVal ?? 0);
    case 'stringList':
      return parts.items ?? [];
    case 'schemaOrBool':
      return parts.schema ?? parts.allows ?? false;
    case 'schemaOrArray':
      return parts.jSONSchemas ?? parts.schema ?? null;
    case 'schemaOrStringArray':
      return parts.property ?? parts.schema ?? null;
    default:
      return embeddedJson((parts.raw ?? parts.Raw ?? '') as string, depth);
  }
}

function instant(seconds: number): string {
  const date = new Date(seconds * 1_000);
  if (Number.isNaN(date.getTime()) || date.getUTCFullYear() > 9999 || date.getUTCFullYear() < 0) {
    throw new ProtobufError('time is out of range');
  }
  return date.toISOString();
}

/** FieldsV1, RawExtension and JSON carry the text of a JSON value. */
function embeddedJson(base64: string, depth: Depth): unknown {
  if (base64 === '') return null;
  let document: JsonDocument;
  try {
    document = readJson(Buffer.from(base64, 'base64'));
  } catch (cause) {
    throw new ProtobufError('embedded JSON cannot be read', { cause });
  }
  // What each text may hold, many of them may not hold together.
  depth.count(document.parts);
  return document.value;
}

function lengthDelimited(reader: Reader, wireType: number, field: Field): Reader {
  if (wireType !== 2) throw wrongWireType(wireType, field);
  return reader.inside();
}

function textOf(reader: Reader, wireType: number, field: Field): string {
  if (wireType !== 2) throw wrongWireType(wireType, field);
  return reader.text();
}

function wrongWireType(wireType: number, field: Field): ProtobufError {
  return new ProtobufError(`proto: wrong wireType = ${wireType} for field ${field.name}`);
}

/** Walks over the wire format. Never reads outside its bytes, and every step moves forward. */
class Reader {
  /** Of the field that the last `next` came to. */
  number = 0;
  wireType = 0;
  readonly #bytes: Buffer;
  readonly #end: number;
  #at: number;

  constructor(bytes: Uint8Array, at = 0, end = bytes.length) {
    this.#bytes = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#at = at;
    this.#end = end;
  }

  get done(): boolean {
    return this.#at >= this.#end;
  }

  /** Goes to the next field; false when there is none. */
  next(): boolean {
    if (this.done) return false;
    const tag = this.#varint();
    this.number = typeof tag === 'number' ? tag >>> 3 : Number(tag >> 3n);
    this.wireType = typeof tag === 'number' ? tag & 7 : Number(tag & 7n);
    if (this.number >= 1 && this.number <= 0x1fff_ffff) return true;
    throw new ProtobufError(`proto: illegal tag ${this.number} (wire type ${this.wireType})`);
  }

  varint(): bigint {
    return BigInt(this.#varint());
  }

  /** Nearly every varint is a tag or a length of one or two bytes: these need no BigInt arithmetic. */
  #varint(): number | bigint {
    let small = 0;
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.#byte();
      small |= (byte & 0x7f) << shift;
      if (byte < 0x80) return small;
    }
    let value = BigInt(small);
    for (let shift = 28n; shift < 70n; shift += 7n) {
      const byte = this.#byte();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new ProtobufError('proto: integer overflow');
  }

  bytes(): Uint8Array {
    const start = this.#pastLength();
    return this.#bytes.subarray(start, this.#at);
  }

  text(): string {
    const start = this.#pastLength();
    return this.#bytes.toString('utf8', start, this.#at);
  }

  base64(): string {
    const start = this.#pastLength();
    return this.#bytes.toString('base64', start, this.#at);
  }

  /** What is in a field, to be read by itself. */
  inside(): Reader {
    const start = this.#pastLength();
    return new Reader(this.#bytes, start, this.#at);
  }

  /** Goes past as many bytes as the length says that stands here. @returns where they begin */
  #pastLength(): number {
    const length = this.#varint();
    const start = this.#at;
    if (length > this.#end - start) throw new ProtobufError('unexpected EOF');
    this.#at += Number(length);
    return start;
  }

  double(): number {
    const start = this.#at;
    this.#forward(8);
    return new DataView(this.#bytes.buffer, this.#bytes.byteOffset + start, 8).getFloat64(0, true);
  }

  skip(wireType: number): void {
    if (wireType === 0) this.varint();
    else if (wireType === 1) this.#forward(8);
    else if (wireType === 2) this.#pastLength();
    else if (wireType === 5) this.#forward(4);
    else throw new ProtobufError(`proto: illegal wireType ${wireType}`);
  }

  #forward(count: number): void {
    if (count > this.#end - this.#at) throw new ProtobufError('unexpected EOF');
    this.#at += count;
  }

  #byte(): number {
    if (this.done) throw new ProtobufError('unexpected EOF');
    return this.#bytes[this.#at++] as number;
  }
}
