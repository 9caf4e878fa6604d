import type { Resumable } from '@slipway/api-machinery/event-loop/resumable';
import { bytesField, textField, varint } from '@slipway/api-machinery/schema/encode-protobuf';

type Json = Readonly<Record<string, unknown>>;

/** What a document of the second version has that goes into its protobuf form. */
interface SecondVersion {
  readonly swagger: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly definitions: Readonly<Record<string, unknown>>;
}

/**
 * A document of the second version as Go clients ask for it: a message of the
 * `openapi.v2` protocol that the OpenAPI initiative publishes.
 *
 * Its paths are left out. Those who take this form look for kinds: what fields they
 * have, how these merge, and which group and version is whose.
 */
export function* v2Protobuf({ swagger, info, definitions }: SecondVersion): Resumable<Uint8Array> {
  const parts = [textField(1, swagger)];
  parts.push(bytesField(2, join([textField(1, info.title), textField(2, info.version)])), bytesField(8, nothing));
  const named: Uint8Array[] = [];
  for (const [name, definition] of Object.entries(definitions)) {
    named.push(bytesField(1, namedSchema(name, definition)));
    yield;
  }
  parts.push(bytesField(9, join(named)));
  return join(parts);
}

const nothing = new Uint8Array();

type Encode = (number: number, value: unknown) => Uint8Array;

const text: Encode = (number, value) => textField(number, String(value));
const texts: Encode = (number, value) => join((value as string[]).map((one) => textField(number, one)));
const whole: Encode = (number, value) => join([varint(number << 3), varint(Number(value))]);
const flag: Encode = (number, value) => join([varint(number << 3), varint(value ? 1 : 0)]);
const float: Encode = (number, value) => {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(Number(value));
  return join([varint((number << 3) | 1), bytes]);
};
const anything: Encode = (number, value) => bytesField(number, any(value));
const type: Encode = (number, value) => bytesField(number, texts(1, [value].flat()));
const items: Encode = (number, value) => bytesField(number, bytesField(1, schema(value as Json)));
const properties: Encode = (number, value) =>
  bytesField(number, join(Object.entries(value as Json).map(([name, one]) => bytesField(1, namedSchema(name, one)))));
const otherProperties: Encode = (number, value) =>
  bytesField(number, typeof value === 'boolean' ? flag(2, value) : bytesField(1, schema(value as Json)));

/** The keywords of a schema in the order of their numbers. */
const keywords: readonly (readonly [name: string, number: number, encode: Encode])[] = [
  ['$ref', 1, text],
  ['format', 2, text],
  ['title', 3, text],
  ['description', 4, text],
  ['multipleOf', 6, float],
  ['maximum', 7, float],
  ['exclusiveMaximum', 8, flag],
  ['minimum', 9, float],
  ['exclusiveMinimum', 10, flag],
  ['maxLength', 11, whole],
  ['minLength', 12, whole],
  ['pattern', 13, text],
  ['maxItems', 14, whole],
  ['minItems', 15, whole],
  ['uniqueItems', 16, flag],
  ['maxProperties', 17, whole],
  ['minProperties', 18, whole],
  ['required', 19, texts],
  ['enum', 20, (number, value) => join((value as unknown[]).map((one) => anything(number, one)))],
  ['additionalProperties', 21, otherProperties],
  ['type', 22, type],
  ['items', 23, items],
  ['properties', 25, properties],
  ['example', 30, anything],
];

function schema(given: Json): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const [name, number, encode] of keywords) {
    if (given[name] !== undefined) parts.push(encode(number, given[name]));
  }
  for (const name in given) {
    if (name.startsWith('x-')) parts.push(bytesField(31, join([textField(1, name), bytesField(2, any(given[name]))])));
  }
  return join(parts);
}

function namedSchema(name: string, value: unknown): Uint8Array {
  return join([textField(1, name), bytesField(2, schema(value as Json))]);
}

/** A value of no known type travels as YAML, which JSON is. */
function any(value: unknown): Uint8Array {
  return textField(2, `${JSON.stringify(value)}\n`);
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(parts);
}
