import { constants, createDeflate, createInflate } from 'node:zlib';
import type { ByteLink } from './byte-link.js';
import { Inbox } from './inbox.js';
import { spdyDictionary } from './spdy-dictionary.js';

const types = { synStream: 1, synReply: 2, rstStream: 3, ping: 6, goAway: 7 } as const;
const controlBit = 0x8000_0000;
const version = 3;
const finFlag = 1;
/** A data frame that we send carries at most so many bytes. */
const longestData = 64 * 1024;

/** One stream of a SPDY connection, opened by the client. */
export interface SpdyStream {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  write(bytes: Uint8Array): void;
  /** Nothing more is written. */
  end(): void;
  /** Who is told of what the client writes, and, once, that it writes nothing more. */
  listen(onBytes: (bytes: Buffer) => void, onEnd: () => void): void;
}

export interface SpdyOptions {
  readonly onStream: (stream: SpdyStream) => void;
  /** The connection is gone, once. */
  readonly onEnd: () => void;
}

/**
 * The server's end of a SPDY/3.1 connection, as far as Kubernetes clients use it: they open streams, the
 * server pushes nothing, and TCP does flow control. An invalid frame ends the connection.
 */
export function serveSpdy(link: ByteLink, { onStream, onEnd }: SpdyOptions): void {
  const inflate = createInflate({ dictionary: spdyDictionary, finishFlush: constants.Z_SYNC_FLUSH });
  const deflate = createDeflate({ dictionary: spdyDictionary });
  const streams = new Map<number, OpenStream>();
  let unread: Buffer = Buffer.alloc(0);
  // Headers are unpacked elsewhere, so what comes waits for its turn.
  let work: Promise<void> = Promise.resolve();
  const inTurn = (next: () => void | Promise<void>) => {
    work = work.then(next).catch(() => link.close());
  };

  const takeFrame = async (first: number, flags: number, payload: Buffer): Promise<void> => {
    if (first < controlBit) {
      const stream = streams.get(first);
      if (payload.length > 0) stream?.inbox.push(payload);
      if (flags & finFlag) stream?.inbox.end();
      return;
    }
    const type = first & 0xffff;
    if (type === types.synStream) await open(payload, flags);
    if (type === types.rstStream) streams.get(payload.readUInt32BE(0))?.inbox.end();
    if (type === types.ping) link.send(control(types.ping, payload));
    if (type === types.goAway) link.close();
  };

  const open = async (payload: Buffer, flags: number): Promise<void> => {
    const id = payload.readUInt32BE(0);
    const headers = readHeaders(await through(inflate, payload.subarray(10)));
    const stream = new OpenStream(id, headers, link);
    streams.set(id, stream);
    const number = Buffer.alloc(4);
    number.writeUInt32BE(id);
    link.send(control(types.synReply, Buffer.concat([number, await through(deflate, Buffer.alloc(4))])));
    onStream(stream);
    if (flags & finFlag) stream.inbox.end();
  };

  link.listen(
    (bytes) =>
      inTurn(async () => {
        unread = Buffer.concat([unread, bytes]);
        while (unread.length >= 8) {
          const length = unread.readUIntBE(5, 3);
          if (unread.length < 8 + length) return;
          const frame = unread;
          unread = frame.subarray(8 + length);
          await takeFrame(frame.readUInt32BE(0), frame[4] as number, frame.subarray(8, 8 + length));
        }
      }),
    () =>
      inTurn(() => {
        for (const stream of streams.values()) stream.inbox.end();
        inflate.close();
        deflate.close();
        onEnd();
      }),
  );
}

class OpenStream implements SpdyStream {
  readonly headers: Readonly<Record<string, string>>;
  readonly inbox = new Inbox();
  readonly #id: number;
  readonly #link: ByteLink;

  constructor(id: number, headers: Readonly<Record<string, string>>, link: ByteLink) {
    this.#id = id;
    this.headers = headers;
    this.#link = link;
  }

  write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += longestData) this.#send(bytes.subarray(at, at + longestData), 0);
  }

  end(): void {
    this.#send(Buffer.alloc(0), finFlag);
  }

  listen(onBytes: (bytes: Buffer) => void, onEnd: () => void): void {
    this.inbox.listen(onBytes, onEnd);
  }

  #send(bytes: Uint8Array, flags: number): void {
    const header = Buffer.alloc(8);
    header.writeUInt32BE(this.#id);
    header[4] = flags;
    header.writeUIntBE(bytes.length, 5, 3);
    this.#link.send(Buffer.concat([header, bytes]));
  }
}

function control(type: number, payload: Buffer): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt16BE(0x8000 | version);
  header.writeUInt16BE(type, 2);
  header.writeUIntBE(payload.length, 5, 3);
  return Buffer.concat([header, payload]);
}

/** Packs or unpacks one block of headers: those of a connection hang together. */
function through(
  zlib: ReturnType<typeof createInflate> | ReturnType<typeof createDeflate>,
  block: Buffer,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const given: Buffer[] = [];
    const take = (bytes: Buffer) => void given.push(bytes);
    zlib.on('data', take);
    zlib.once('error', reject);
    zlib.write(block);
    zlib.flush(constants.Z_SYNC_FLUSH, () => {
      zlib.off('data', take);
      zlib.off('error', reject);
      resolve(Buffer.concat(given));
    });
  });
}

function readHeaders(block: Buffer): Record<string, string> {
  let at = 0;
  const number = () => {
    at += 4;
    return block.readUInt32BE(at - 4);
  };
  const text = () => {
    const length = number();
    at += length;
    return block.toString('utf8', at - length, at);
  };
  const headers: Record<string, string> = {};
  for (let left = number(); left > 0; left--) {
    const name = text().toLowerCase();
    headers[name] = text();
  }
  return headers;
}
