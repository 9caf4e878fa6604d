import { type Field, type Message, shippedTable } from './message-table.js';

/** Messages of `meta.v1` that answers can be encoded as: statuses, and what discovery says. */
const encodable = new Set(['Status', 'APIVersions', 'APIGroupList', 'APIGroup', 'APIResourceList']);

/**
 * An answer in `application/vnd.kubernetes.protobuf`: four bytes, then a `runtime.Unknown` with the
 * kind and the encoded message. Undefined for kinds that are not encoded.
 * @param value the answer as JSON: its kind is found in it
 */
export function encodeAnswer(value: unknown): Uint8Array | undefined {
  const { kind } = Object(value) as { kind?: unknown };
  if (typeof kind !== 'string' || !encodable.has(kind)) return undefined;
  const raw = encodeMessage(shippedTable().message(`meta.v1.${kind}`), value as Json);
  // These kinds are of version v1 even where a document of a server from before that leaves it out.
  const type = Buffer.concat([textField(1, 'v1'), textField(2, kind)]);
  const empty = new Uint8Array();
  const unknown = [bytesField(1, type), bytesField(2, raw), bytesField(3, empty), bytesField(4, empty)];
  return Buffer.concat([Buffer.from('k8s\0', 'latin1'), ...unknown]);
}

type Json = Readonly<Record<string, unknown>>;

/** As Kubernetes encodes: fields that are no pointers are there even when they are zero. */
function encodeMessage(message: Message, value: Json): Uint8Array {
  const inOrder = [...message.fields].sort((one, other) => one.number - other.number);
  return Buffer.concat(inOrder.flatMap((field) => encodeField(field, value[field.name])));
}

function encodeField(field: Field, value: unknown): Uint8Array[] {
  if (field.shape === 'list') return ((value ?? []) as unknown[]).map((one) => encodeValue(field, one));
  if (value === undefined && field.pointer) return [];
  return [encodeValue(field, value)];
}

function encodeValue({ number, message, scalar }: Field, value: unknown): Uint8Array {
  if (message) {
    const inner = message.encoding === 'stringList' ? { items: value } : ((value ?? {}) as Json);
    return bytesField(number, encodeMessage(message, inner));
  }
  if (scalar === 'string') return textField(number, (value ?? '') as string);
  return Buffer.concat([varint(number << 3), varint(Number(value ?? 0))]);
}

/** A field of text, with its number. */
export function textField(number: number, text: string): Uint8Array {
  return bytesField(number, Buffer.from(text));
}

/** A field of bytes, or of a message that is encoded already. */
export function bytesField(number: number, bytes: Uint8Array): Uint8Array {
  return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes]);
}

/** A whole number, which is not negative. */
export function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  return Uint8Array.from([...bytes, rest]);
}
