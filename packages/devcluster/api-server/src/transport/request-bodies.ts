import type { IncomingMessage } from 'node:http';
import { statusError, tooLarge } from '@slipway/api-machinery/errors/status-errors';
import { bodyLimit } from '../request/request.js';

/**
 * Maximum of bytes that the bodies of all requests hold together, of those that are received and of those that are
 * worked on.
 */
const maxTotalBytes = 256 * 1024 * 1024;
/** Bytes of a body that are read whatever other bodies hold, so that small writes always succeed. */
export const smallBody = 16 * 1024;
/** How much of a body that is rejected is still read, and forgotten. */
const discardLimit = 16 * 1024 * 1024;

/** Why a body was not read. */
export const bodyRejections = {
  'too large': tooLarge(`limit is ${bodyLimit}`),
  'too many': statusError(429, 'TooManyRequests', 'the server holds too many request bodies, try again later', {
    retryAfterSeconds: 1,
  }),
};

/** A body, undefined when there is none; or why it was not read. */
export type ReadBody = Uint8Array | undefined | keyof typeof bodyRejections;

/** The bodies of all requests of a server: how much they hold is bounded. */
export class RequestBodies {
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes = maxTotalBytes) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes that are held. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Reads the body of a request and works with it; until that has ended, the body counts. */
  async use<Result>(request: IncomingMessage, work: (body: ReadBody) => Promise<Result>): Promise<Result> {
    const held = { bytes: 0 };
    try {
      return await work(await this.#read(request, held));
    } finally {
      this.#release(held);
    }
  }

  /** Rejects when the client goes away in the middle of it. */
  #read(request: IncomingMessage, held: { bytes: number }): Promise<ReadBody> {
    const announced = request.headers['content-length'];
    if (announced === undefined && request.headers['transfer-encoding'] === undefined)
      return Promise.resolve(undefined);
    if (Number(announced) > bodyLimit) return Promise.resolve('too large');
    // Reading by events costs half of what iterating over the stream does.
    return new Promise((resolve, reject) => {
      if (request.destroyed && !request.complete) return reject(new Error('the client went away'));
      const chunks: Buffer[] = [];
      let isRejected = false;
      const refuse = (reason: keyof typeof bodyRejections) => {
        isRejected = true;
        this.#release(held);
        chunks.length = 0;
        resolve(reason);
      };
      request.on('data', (chunk: Buffer) => {
        if (isRejected) return;
        held.bytes += chunk.length;
        this.#bytes += chunk.length;
        chunks.push(chunk);
        if (held.bytes > bodyLimit) refuse('too large');
        else if (this.#bytes > this.#maxBytes && held.bytes > smallBody) refuse('too many');
      });
      request.on('end', () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)));
      request.on('error', reject);
      // Every request closes in the end; an error made for nothing would cost more than reading the body.
      request.on('close', () => {
        if (!request.complete) reject(new Error('the client went away'));
      });
    });
  }

  #release(held: { bytes: number }): void {
    this.#bytes -= held.bytes;
    held.bytes = 0;
  }
}

/** A client that still writes when the connection closes may never read why, so its body is let in, within reason. */
export function discardRest(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > discardLimit) resolve();
    });
    request.on('close', resolve);
    if (request.complete) resolve();
    else request.on('end', resolve);
  });
}
