import { createHash } from 'node:crypto';
import type { ByteLink } from './byte-link.js';

const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;
const normalClosure = 1000;
const protocolError = 1002;
const tooBig = 1009;
/** A message may be as long as a body. */
const longestMessage = 3 * 1024 * 1024;

/** The answer to a client's `Sec-WebSocket-Key` (RFC 6455, 1.3). */
export function acceptKey(key: string): string {
  return createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
}

/** The server's end of a WebSocket, after the handshake (RFC 6455). Messages are bytes, be they said to be text or not. */
export function webSocketLink(below: ByteLink, sends: 'binary' | 'text' = 'binary'): ByteLink {
  let isClosed = false;
  const close = (code: number) => {
    if (isClosed) return;
    isClosed = true;
    const reason = Buffer.alloc(2);
    reason.writeUInt16BE(code);
    below.send(frame(opcodes.close, reason));
    below.close();
  };
  return {
    send: (bytes) => void (!isClosed && below.send(frame(opcodes[sends], bytes))),
    listen(onBytes, onEnd) {
      let unread: Buffer = Buffer.alloc(0);
      let parts: Buffer[] = [];
      const take = ({ opcode, isLast, payload }: Frame) => {
        if (opcode === opcodes.ping) below.send(frame(opcodes.pong, payload));
        else if (opcode === opcodes.close) close(normalClosure);
        else if (opcode !== opcodes.pong) {
          parts.push(payload);
          if (!isLast) return;
          const message = Buffer.concat(parts);
          parts = [];
          onBytes(message);
        }
      };
      below.listen((bytes) => {
        unread = unread.length === 0 ? bytes : Buffer.concat([unread, bytes]);
        while (!isClosed) {
          const next = readFrame(unread);
          if (next === 'incomplete') return;
          if (typeof next === 'number') return close(next);
          unread = unread.subarray(next.length);
          if (parts.reduce((sum, part) => sum + part.length, next.payload.length) > longestMessage)
            return close(tooBig);
          take(next);
        }
      }, onEnd);
    },
    close: () => close(normalClosure),
  };
}

interface Frame {
  readonly opcode: number;
  readonly isLast: boolean;
  readonly payload: Buffer;
  /** Of the frame as it came, in bytes. */
  readonly length: number;
}

/** The first frame of what came, or the code by which to close: clients must mask what they send. */
function readFrame(bytes: Buffer): Frame | 'incomplete' | number {
  if (bytes.length < 2) return 'incomplete';
  const [first = 0, second = 0] = bytes;
  if ((first & 0x70) !== 0 || (second & 0x80) === 0) return protocolError;
  const short = second & 0x7f;
  const extra = short === 126 ? 2 : short === 127 ? 8 : 0;
  const start = 2 + extra + 4;
  if (bytes.length < start) return 'incomplete';
  const size = extra === 0 ? short : extra === 2 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  if (size > longestMessage) return tooBig;
  if (bytes.length < start + size) return 'incomplete';
  const mask = bytes.subarray(start - 4, start);
  const payload = Buffer.alloc(size);
  for (let at = 0; at < size; at++) payload[at] = (bytes[start + at] as number) ^ (mask[at & 3] as number);
  return { opcode: first & 0x0f, isLast: (first & 0x80) !== 0, payload, length: start + size };
}

function frame(opcode: number, payload: Uint8Array): Buffer {
  const { length } = payload;
  const extra = length < 126 ? 0 : length < 65_536 ? 2 : 8;
  const header = Buffer.alloc(2 + extra);
  header[0] = 0x80 | opcode;
  header[1] = extra === 0 ? length : extra === 2 ? 126 : 127;
  if (extra === 2) header.writeUInt16BE(length, 2);
  if (extra === 8) header.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([header, payload]);
}
