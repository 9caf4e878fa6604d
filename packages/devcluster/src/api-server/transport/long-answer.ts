import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

/** How many characters go out between two turns of the event loop: some milliseconds of work at most. */
const sliceLength = 256 * 1024;

/**
 * Writes an answer of many megabytes in slices, so that others get their turn in between, and never holds a
 * second copy of all of it. A client that reads slowly holds up nobody but itself.
 */
export async function writeLong(response: ServerResponse, pieces: readonly string[], packed: boolean): Promise<void> {
  try {
    if (packed) await pipeline(slices(pieces), createGzip({ level: 1 }), response);
    else await pipeline(slices(pieces), response);
  } catch (error) {
    // The client went away in the middle of it.
    if (!response.destroyed) throw error;
  }
}

async function* slices(pieces: readonly string[]): AsyncGenerator<Buffer> {
  let slice: string[] = [];
  let length = 0;
  for (const piece of pieces) {
    slice.push(piece);
    length += piece.length;
    if (length < sliceLength) continue;
    yield Buffer.from(slice.join(''));
    [slice, length] = [[], 0];
    await new Promise((resolve) => setImmediate(resolve));
  }
  yield Buffer.from(slice.join(''));
}
