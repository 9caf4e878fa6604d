/** Bytes that are no protobuf message. */
export class WireError extends Error {
  override readonly name = 'WireError';
}

/** One field as it stands in a message: numbers as bigint, everything with a length as the bytes themselves. */
export type WireField =
  | { readonly number: number; readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly number: number; readonly kind: 'number'; readonly value: bigint };

/**
 * The fields of a message, in the order they stand there. Knows no message: what a
 * reader does not ask for is passed over, whatever it is. Groups are not supported.
 * @throws WireError when the bytes end early or are none.
 */
export function* fieldsOf(message: Uint8Array): Generator<WireField> {
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = message[at];
      if (byte === undefined) throw new WireError('the message ends within a number');
      at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new WireError('a number is longer than ten bytes');
  };
  const take = (length: number): Uint8Array => {
    if (length > message.length - at) throw new WireError('the message ends within a field');
    const bytes = message.subarray(at, at + length);
    at += length;
    return bytes;
  };
  while (at < message.length) {
    const tag = varint();
    const number = Number(tag >> 3n);
    if (number < 1 || number > 0x1fffffff) throw new WireError('a field has no valid number');
    switch (Number(tag & 7n)) {
      case 0:
        yield { number, kind: 'number', value: varint() };
        break;
      case 1:
        yield { number, kind: 'number', value: littleEndian(take(8)) };
        break;
      case 2: {
        const length = varint();
        if (length > BigInt(message.length)) throw new WireError('the message ends within a field');
        yield { number, kind: 'bytes', bytes: take(Number(length)) };
        break;
      }
      case 5:
        yield { number, kind: 'number', value: littleEndian(take(4)) };
        break;
      default:
        throw new WireError('a field has a kind that is not supported');
    }
  }
}

function littleEndian(bytes: Uint8Array): bigint {
  return bytes.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n);
}

/** A field with a length: a text, bytes or a message. */
export function bytesField(number: number, value: Uint8Array | string): Buffer {
  const bytes = typeof value === 'string' ? Buffer.from(value) : value;
  return Buffer.concat([varintOf((BigInt(number) << 3n) | 2n), varintOf(BigInt(bytes.length)), bytes]);
}

/** A field that is a number. */
export function numberField(number: number, value: bigint | number): Buffer {
  return Buffer.concat([varintOf(BigInt(number) << 3n), varintOf(BigInt.asUintN(64, BigInt(value)))]);
}

/** A map of texts, as a repeated field of key and value. */
export function mapField(number: number, entries: Readonly<Record<string, string>>): Buffer {
  return Buffer.concat(
    Object.entries(entries).map(([key, value]) =>
      bytesField(number, Buffer.concat([bytesField(1, key), bytesField(2, value)])),
    ),
  );
}

function varintOf(value: bigint): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>= 7n) {
    if (rest < 0x80n) return Buffer.from([...bytes, Number(rest)]);
    bytes.push(Number(rest & 0x7fn) | 0x80);
  }
}
