import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ByteLink } from './byte-link.js';
import { acceptKey, webSocketLink } from './web-socket.js';

/** A WebSocket over a link in memory: what came out of it, and what was sent below. */
function aSocket() {
  const messages: string[] = [];
  const sent: Buffer[] = [];
  let isClosed = false;
  let feed: (bytes: Buffer) => void = () => {};
  const below: ByteLink = {
    send: (bytes) => void sent.push(Buffer.from(bytes)),
    listen: (onBytes) => {
      feed = onBytes;
    },
    close: () => {
      isClosed = true;
    },
  };
  const socket = webSocketLink(below);
  socket.listen(
    (bytes) => void messages.push(bytes.toString('latin1')),
    () => {},
  );
  return { socket, messages, sent, feed: (bytes: Buffer) => feed(bytes), isClosed: () => isClosed };
}

/** A frame as clients send it: masked. */
function clientFrame(opcode: number, payload: Buffer, isLast = true): Buffer {
  const { length } = payload;
  const size = Buffer.alloc(length < 126 ? 0 : length < 65_536 ? 2 : 8);
  if (size.length === 2) size.writeUInt16BE(length);
  if (size.length === 8) size.writeBigUInt64BE(BigInt(length));
  const short = size.length === 0 ? length : size.length === 2 ? 126 : 127;
  const mask = Buffer.from([1, 2, 3, 4]);
  const masked = payload.map((byte, at) => byte ^ (mask[at % 4] as number));
  return Buffer.concat([Buffer.of((isLast ? 0x80 : 0) | opcode, 0x80 | short), size, mask, masked]);
}

test('acceptKey() answers as the example of RFC 6455', () => {
  expect(acceptKey('dGhlIHNhbXBsZSBub25jZQ==')).toBe('s3pPLMBiTxaQ9kYGzzhZRbK+xOo=');
});

test('a WebSocket gives messages as they were sent, however frames and packets are cut', () => {
  const message = fc.array(fc.uint8Array({ maxLength: 200 }), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(fc.array(message, { maxLength: 5 }), fc.integer({ min: 1, max: 97 }), (all, packet) => {
      const { feed, messages } = aSocket();
      const frames = all.flatMap((parts) =>
        parts.map((part, at) => clientFrame(at === 0 ? 2 : 0, Buffer.from(part), at === parts.length - 1)),
      );
      const wire = Buffer.concat(frames);
      for (let at = 0; at < wire.length; at += packet) feed(wire.subarray(at, at + packet));
      expect(messages).toEqual(all.map((parts) => Buffer.concat(parts).toString('latin1')));
    }),
  );
});

test.each([0, 125, 126, 65_535, 65_536, 200_000])('a message of %i bytes goes both ways', (length) => {
  const { socket, sent, feed, messages } = aSocket();
  const payload = Buffer.alloc(length, 'x');
  feed(clientFrame(2, payload));
  expect(messages).toEqual([payload.toString()]);
  socket.send(payload);
  const [frame = Buffer.alloc(0)] = sent;
  expect(frame[0]).toBe(0x82);
  expect(frame.subarray(frame.length - length).equals(payload)).toBe(true);
});

// what | frame | the code by which the server closes
const broken: [string, Buffer, number][] = [
  ['a frame that is not masked', Buffer.from([0x82, 0x01, 0x41]), 1002],
  ['an extension that nobody agreed on', clientFrame(0x42, Buffer.of(1)), 1002],
  ['more than anybody needs', Buffer.from([0x82, 0xff, 0, 0, 0, 1, 0, 0, 0, 0, 1, 2, 3, 4]), 1009],
];
test.each(broken)('a WebSocket closes on %s', (_, bytes, code) => {
  const { feed, sent, isClosed, messages } = aSocket();
  feed(bytes);
  expect([sent[0]?.[0], sent[0]?.readUInt16BE(2), isClosed(), messages]).toEqual([0x88, code, true, []]);
});

test('a WebSocket answers pings, and a close by a close', () => {
  const { feed, sent, isClosed } = aSocket();
  feed(clientFrame(9, Buffer.from('hi')));
  feed(clientFrame(8, Buffer.alloc(0)));
  expect(sent[0]).toEqual(Buffer.from([0x8a, 2, 0x68, 0x69]));
  expect([sent[1]?.[0], isClosed()]).toEqual([0x88, true]);
});
