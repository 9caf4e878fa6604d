/** Status codes of gRPC that are used here by name. */
export const grpcCode = {
  ok: 0,
  cancelled: 1,
  unknown: 2,
  invalidArgument: 3,
  deadlineExceeded: 4,
  resourceExhausted: 8,
  aborted: 10,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
} as const;

export type GrpcCode = (typeof grpcCode)[keyof typeof grpcCode];

/** A message as it travels: not compressed, behind its length. */
export function framed(message: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** The one message of a body, or undefined when it is compressed, cut off or more than one. */
export function unframed(body: Uint8Array): Uint8Array | undefined {
  if (body.length < 5 || body[0] !== 0) return undefined;
  const length = Buffer.from(body.buffer, body.byteOffset, body.byteLength).readUInt32BE(1);
  return body.length === 5 + length ? body.subarray(5) : undefined;
}

/** The messages of a stream's body, without one that is cut off at the end. */
export function unframedAll(body: Buffer): readonly Uint8Array[] {
  const messages: Uint8Array[] = [];
  for (let at = 0; at + 5 <= body.length; ) {
    const end = at + 5 + body.readUInt32BE(at + 1);
    if (end > body.length) break;
    messages.push(body.subarray(at + 5, end));
    at = end;
  }
  return messages;
}

/** A message for the `grpc-message` header, which carries only printable ASCII. */
export function statusMessage(text: string): string {
  return [...Buffer.from(text)]
    .map((byte) =>
      byte >= 0x20 && byte <= 0x7e && byte !== 0x25
        ? String.fromCharCode(byte)
        : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
    )
    .join('');
}

/** The text of a `grpc-message` header. What is not encoded as it should be is left as it is. */
export function messageText(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

const unitMs: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 1e-3, n: 1e-6 };

/** Milliseconds of a `grpc-timeout` header, or undefined when there is none that can be read. */
export function timeoutMs(header: string | undefined): number | undefined {
  const [, digits, unit] = /^(\d{1,8})([HMSmun])$/.exec(header ?? '') ?? [];
  const factor = unitMs[unit ?? ''];
  return digits === undefined || factor === undefined ? undefined : Number(digits) * factor;
}
