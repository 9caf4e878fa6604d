import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { createGzip, type Gzip } from 'node:zlib';
import { yieldToEventLoop } from '@slipway/api-machinery/event-loop/yield-to-event-loop';
import { type Clock, systemClock } from '@slipway/kube';
import { type Piece, sizeOfPiece, writePiece } from '../request/pieces.js';
import { written } from './whole-answer.js';

/** How many bytes go out together. */
const sliceBytes = 512 * 1024;
/** How long pieces are made and encoded before others get their turn, in the time of this machine. */
export const sliceMs = 5;
/** No character takes more bytes than this per unit of a JavaScript string. */
const bytesPerUnit = 3;

/**
 * Writes an answer of many megabytes in slices, yields to the event loop in between, and never holds a
 * second copy of all of it. A slow client delays only itself.
 */
export async function writeLong(response: ServerResponse, pieces: Iterable<Piece>, packed: boolean): Promise<void> {
  const out = packed ? createGzip({ level: 1 }) : response;
  const sent = packed ? pipeline(out as Gzip, response) : undefined;
  // An unhandled rejection would end the process; the loop below sees the same error.
  sent?.catch(() => {});
  for (const slice of slices(pieces)) {
    if (!(await written(out, slice))) return;
    await yieldToEventLoop();
  }
  out.end();
  if (sent) await sent.catch(() => {});
}

/**
 * The pieces in UTF-8. Every slice is in the same buffer, so it must have left before the next one is asked for: a
 * fresh buffer for each would have the whole heap collected after a few answers.
 */
function* slices(pieces: Iterable<Piece>, clock: Clock = systemClock): Generator<Buffer> {
  let buffer = Buffer.allocUnsafeSlow(sliceBytes);
  let to = 0;
  let untilMs = clock.monotonicMs() + sliceMs;
  const isFull = (room: number) => to + room > buffer.length || (room > bytesPerUnit && clock.monotonicMs() > untilMs);
  for (const piece of pieces) {
    const room = sizeOfPiece(piece) * bytesPerUnit;
    if (to > 0 && isFull(room)) {
      yield buffer.subarray(0, to);
      to = 0;
      untilMs = clock.monotonicMs() + sliceMs;
    }
    if (room > buffer.length) buffer = Buffer.allocUnsafeSlow(room);
    to += writePiece(piece, buffer, to);
  }
  yield buffer.subarray(0, to);
}
