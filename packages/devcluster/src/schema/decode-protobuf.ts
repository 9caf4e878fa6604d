import { exactInteger } from '@slipway/kube';
import { type JsonObject, setOwn } from '../patch/json-value.js';
import { readJson, valueLimit } from './json-scanner.js';
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
  for (const { number, wireType } of reader.tags()) {
    if (number === 1 && wireType === 2) type = readTypeMeta(reader.bytes());
    else if (number === 2 && wireType === 2) raw = reader.bytes();
    else if (number === 3 && wireType === 2 && reader.bytes().length > 0) {
      throw new ProtobufError('content encoding of the object is not supported');
    } else if (number !== 3) reader.skip(wireType);
  }
  return { ...type, raw };
}

function readTypeMeta(bytes: Uint8Array): { apiVersion: string; kind: string } {
  const reader = new Reader(bytes);
  const type = { apiVersion: '', kind: '' };
  for (const { number, wireType } of reader.tags()) {
    if (number === 1 && wireType === 2) type.apiVersion = utf8(reader.bytes());
    else if (number === 2 && wireType === 2) type.kind = utf8(reader.bytes());
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
  readInto(object, message, bytes, new Depth(0, { values: 0 }));
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

  /** One more field, known or not, or element. */
  count(): void {
    if (++this.#read.values > valueLimit) throw new ProtobufError('exceeded max number of values');
  }
}

function readInto(object: Record<string, unknown>, message: Message, bytes: Uint8Array, depth: Depth): void {
  const reader = new Reader(bytes);
  for (const { number, wireType } of reader.tags()) {
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
  const inner = new Reader(reader.bytes());
  while (!inner.done) {
    depth.count();
    list.push(readScalar(field, inner, field.scalar === 'double' ? 1 : 0));
  }
}

function readMapEntry(object: Record<string, unknown>, field: Field, bytes: Uint8Array, depth: Depth): void {
  object[field.name] ??= {};
  const reader = new Reader(bytes);
  let key = '';
  let value: unknown;
  for (const { number, wireType } of reader.tags()) {
    if (number === 1) key = utf8(lengthDelimited(reader, wireType, field));
    else if (number === 2) value = readValue(field, reader, wireType, depth);
    else reader.skip(wireType);
  }
  setOwn(object[field.name] as JsonObject, key, value ?? null);
}

function readValue(field: Field, reader: Reader, wireType: number, depth: Depth): unknown {
  const { message } = field;
  if (!message) return readScalar(field, reader, wireType);
  const bytes = lengthDelimited(reader, wireType, field);
  if (message.encoding !== undefined) return readEncoded(message, bytes, depth);
  const object: Record<string, unknown> = {};
  readInto(object, message, bytes, depth.below);
  return object;
}

const wireTypeOf: Record<ScalarName, number> = { string: 2, bytes: 2, bool: 0, int32: 0, int64: 0, double: 1 };

function readScalar(field: Field, reader: Reader, wireType: number): unknown {
  const scalar = field.scalar as ScalarName;
  if (wireType !== wireTypeOf[scalar]) throw wrongWireType(wireType, field);
  switch (scalar) {
    case 'string':
      return utf8(reader.bytes());
    case 'bytes':
      return Buffer.from(reader.bytes()).toString('base64');
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
function readEncoded(message: Message, bytes: Uint8Array, depth: Depth): unknown {
  const parts: Record<string, unknown> = {};
  readInto(parts, message, bytes, depth.below);
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
      return embeddedJson((parts.raw ?? parts.Raw ?? '') as string);
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
function embeddedJson(base64: string): unknown {
  if (base64 === '') return null;
  try {
    return readJson(Buffer.from(base64, 'base64')).value;
  } catch (cause) {
    throw new ProtobufError('embedded JSON cannot be read', { cause });
  }
}

function lengthDelimited(reader: Reader, wireType: number, field: Field): Uint8Array {
  if (wireType !== 2) throw wrongWireType(wireType, field);
  return reader.bytes();
}

function wrongWireType(wireType: number, field: Field): ProtobufError {
  return new ProtobufError(`proto: wrong wireType = ${wireType} for field ${field.name}`);
}

function utf8(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

/** Walks over the wire format. Never reads outside its bytes, and every step moves forward. */
class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length;
  }

  *tags(): Generator<{ number: number; wireType: number }> {
    while (!this.done) {
      const tag = this.varint();
      const number = Number(tag >> 3n);
      const wireType = Number(tag & 7n);
      if (number < 1 || number > 0x1fff_ffff) {
        throw new ProtobufError(`proto: illegal tag ${number} (wire type ${wireType})`);
      }
      yield { number, wireType };
    }
  }

  varint(): bigint {
    // Nearly every varint is a tag or a length of one or two bytes: these need no BigInt arithmetic.
    let small = 0;
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.#next();
      small |= (byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt(small);
    }
    let value = BigInt(small);
    for (let shift = 28n; shift < 70n; shift += 7n) {
      const byte = this.#next();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new ProtobufError('proto: integer overflow');
  }

  bytes(): Uint8Array {
    const length = this.varint();
    if (length > BigInt(this.#bytes.length - this.#at)) throw new ProtobufError('unexpected EOF');
    const start = this.#at;
    this.#at += Number(length);
    return this.#bytes.subarray(start, this.#at);
  }

  double(): number {
    const start = this.#at;
    this.#forward(8);
    return new DataView(this.#bytes.buffer, this.#bytes.byteOffset + start, 8).getFloat64(0, true);
  }

  skip(wireType: number): void {
    if (wireType === 0) this.varint();
    else if (wireType === 1) this.#forward(8);
    else if (wireType === 2) this.bytes();
    else if (wireType === 5) this.#forward(4);
    else throw new ProtobufError(`proto: illegal wireType ${wireType}`);
  }

  #forward(count: number): void {
    if (count > this.#bytes.length - this.#at) throw new ProtobufError('unexpected EOF');
    this.#at += count;
  }

  #next(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new ProtobufError('unexpected EOF');
    this.#at++;
    return byte;
  }
}
