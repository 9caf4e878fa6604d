import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Clock, systemClock } from '@slipway/kube';

/** How many bytes go out together. */
const sliceBytes = 512 * 1024;
/** How long pieces are made and encoded before others get their turn, in the time of this machine. */
const sliceMs = 5;
/** No character takes more bytes than this per unit of a JavaScript string. */
const bytesPerUnit = 3;

/**
 * Writes an answer of many megabytes in slices, so that others get their turn in between, and never holds a
 * second copy of all of it. A client that reads slowly holds up nobody but itself.
 */
export async function writeLong(response: ServerResponse, pieces: Iterable<string>, packed: boolean): Promise<void> {
  try {
    if (packed) await pipeline(slices(pieces), createGzip({ level: 1 }), response);
    else await pipeline(slices(pieces), response);
  } catch (error) {
    // The client went away in the middle of it.
    if (!response.destroyed) throw error;
  }
}

/** The pieces in UTF-8. Written into one buffer as they come they cost a quarter of what joining them first does. */
async function* slices(pieces: Iterable<string>, clock: Clock = systemClock): AsyncGenerator<Buffer> {
  let buffer = Buffer.allocUnsafeSlow(sliceBytes);
  let [from, to] = [0, 0];
  let untilMs = clock.monotonicMs() + sliceMs;
  for (const piece of pieces) {
    const room = piece.length * bytesPerUnit;
    const isFull = to + room > buffer.length;
    if (to > from && (isFull || clock.monotonicMs() > untilMs)) {
      yield buffer.subarray(from, to);
      from = to;
      await new Promise((resolve) => setImmediate(resolve));
      untilMs = clock.monotonicMs() + sliceMs;
    }
    if (isFull) {
      buffer = Buffer.allocUnsafeSlow(Math.max(sliceBytes, room));
      [from, to] = [0, 0];
    }
    to += buffer.write(piece, to);
  }
  yield buffer.subarray(from, to);
}
