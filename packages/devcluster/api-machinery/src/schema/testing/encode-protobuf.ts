import { type Field, type Message, shippedTable } from '../message-table.js';

/**
 * Writes objects as Kubernetes' Go clients do, for tests of the decoder: zero
 * values of plain scalars included, since the generated encoders write them.
 */
export function encodeEnvelope(messageId: string, object: Readonly<Record<string, unknown>>): Uint8Array {
  const { apiVersion, kind, ...rest } = object;
  const type = concat(bytesField(1, utf8(String(apiVersion))), bytesField(2, utf8(String(kind))));
  const raw = encodeMessage(shippedTable().message(messageId), rest);
  const unknown = concat(bytesField(1, type), bytesField(2, raw), bytesField(3, utf8('')), bytesField(4, utf8('')));
  return concat(new Uint8Array([0x6b, 0x38, 0x73, 0x00]), unknown);
}

/** @param object the JSON form; inlined messages take their fields from it */
export function encodeMessage(message: Message, object: Readonly<Record<string, unknown>>): Uint8Array {
  return concat(...message.fields.map((field) => encodeField(field, object)));
}

function encodeField(field: Field, object: Readonly<Record<string, unknown>>): Uint8Array {
  if (field.inline) return bytesField(field.number, encodeMessage(field.message as Message, object));
  const value = object[field.name];
  if (value === undefined || value === null) {
    const zero = field.shape === 'single' && !field.pointer && field.scalar !== undefined && field.scalar !== 'bytes';
    return zero ? encodeScalar(field, { string: '', bool: false }[field.scalar as string] ?? 0) : new Uint8Array();
  }
  if (field.shape === 'list') return concat(...(value as unknown[]).map((element) => encodeSingle(field, element)));
  if (field.shape === 'map') {
    const entries = Object.entries(value as object).map(([key, element]) =>
      bytesField(field.number, concat(bytesField(1, utf8(key)), encodeSingle({ ...field, number: 2 }, element))),
    );
    return concat(...entries);
  }
  return encodeSingle(field, value);
}

function encodeSingle(field: Field, value: unknown): Uint8Array {
  const { message } = field;
  if (!message) return encodeScalar(field, value);
  return bytesField(
    field.number,
    message.encoding ? encodeLeaf(message, value) : encodeMessage(message, value as object as Record<string, unknown>),
  );
}

function encodeLeaf(message: Message, value: unknown): Uint8Array {
  const part = (parts: Record<string, unknown>) => encodeMessage(message, parts);
  switch (message.encoding) {
    case 'time':
    case 'microTime': {
      const [, fraction = '0'] = /\.(\d+)Z$/.exec(String(value)) ?? [];
      return part({ seconds: Math.floor(Date.parse(String(value)) / 1_000), nanos: Number(fraction.padEnd(9, '0')) });
    }
    case 'quantity':
      return part({ string: value });
    case 'intOrString':
      return part(typeof value === 'number' ? { type: 0, intVal: value } : { type: 1, strVal: value });
    case 'stringList':
      return part({ items: value });
    case 'schemaOrBool':
      return part(typeof value === 'boolean' ? { allows: value } : { allows: true, schema: value });
    case 'schemaOrArray':
      return part(Array.isArray(value) ? { jSONSchemas: value } : { schema: value });
    case 'schemaOrStringArray':
      return part(Array.isArray(value) ? { property: value } : { schema: value });
    default:
      return bytesField(1, utf8(JSON.stringify(value)));
  }
}

function encodeScalar({ number, scalar }: Field, value: unknown): Uint8Array {
  switch (scalar) {
    case 'string':
      return bytesField(number, utf8(value as string));
    case 'bytes':
      return bytesField(number, Buffer.from(value as string, 'base64'));
    case 'double': {
      const bytes = new Uint8Array(8);
      new DataView(bytes.buffer).setFloat64(0, value as number, true);
      return concat(varint(BigInt((number << 3) | 1)), bytes);
    }
    default:
      return concat(varint(BigInt(number << 3)), varint(BigInt.asUintN(64, BigInt(Number(value)))));
  }
}

function bytesField(number: number, bytes: Uint8Array): Uint8Array {
  return concat(varint(BigInt((number << 3) | 2)), varint(BigInt(bytes.length)), bytes);
}

function varint(value: bigint): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return new Uint8Array([...bytes, Number(rest)]);
}

function utf8(text: string): Uint8Array {
  return Buffer.from(text, 'utf8');
}

function concat(...parts: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(parts);
}
