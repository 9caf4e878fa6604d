import { Transform } from 'node:stream';
import { printable } from '@slipway/safe-yaml/printable';

/** The input is not the base protocol of the Language Server Protocol, so nothing after it can be understood. */
export class FrameError extends Error {
  override readonly name = 'FrameError';
}

const maxHeaderBytes = 1024;
/** Of one message. Proposals are far smaller. */
const maxBodyBytes = 32 * 1024 * 1024;

const headerNames = ['content-length:', 'content-type:'];
const endOfHeader = '\r\n\r\n';

/**
 * Passes on messages as they come, each a header and a body of the length it says, and nothing from the first chunk on
 * that has a byte of neither: a reader that lost its position would wait forever, or read body text as a message. Calls
 * `onError` then, once, and stays open: what was read before is still to be answered. Holds at most one header.
 */
export function frameGuard(onError: (error: FrameError) => void): Transform {
  let header = '';
  let bodyBytes = 0;
  let isBroken = false;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (isBroken) return done();
      try {
        let at = 0;
        while (at < chunk.length) {
          if (bodyBytes > 0) {
            const end = Math.min(chunk.length, at + bodyBytes);
            bodyBytes -= end - at;
            at = end;
            continue;
          }
          header += String.fromCharCode(chunk[at++] ?? 0);
          if (header.endsWith(endOfHeader)) {
            bodyBytes = bodyLength(header);
            header = '';
          } else checkBegun(header);
        }
        done(null, chunk);
      } catch (error) {
        isBroken = true;
        if (!(error instanceof FrameError)) return done(error as Error);
        onError(error);
        done();
      }
    },
  });
}

/** @throws FrameError as soon as a header can no longer become a right one. */
function checkBegun(header: string): void {
  if (header.length > maxHeaderBytes) throw new FrameError(`a header of more than ${maxHeaderBytes} bytes`);
  const line = header.slice(header.lastIndexOf('\n') + 1).toLowerCase();
  // The empty line behind the last one.
  const isEnd = line === '\r' && header.length > 1;
  if (!isEnd && !headerNames.some((name) => line.startsWith(name) || name.startsWith(line))) {
    throw new FrameError(`${printable(JSON.stringify(line))} where a header was expected`);
  }
}

/** @throws FrameError */
function bodyLength(header: string): number {
  const lengths = [...header.matchAll(/^content-length:[ \t]*(.*?)[ \t]*\r$/gim)].map(([, value = '']) => value);
  const [length = ''] = lengths;
  if (lengths.length !== 1 || !/^\d+$/.test(length)) throw new FrameError('a header without one Content-Length');
  if (Number(length) > maxBodyBytes) {
    throw new FrameError(`a message of ${length} bytes, which is more than ${maxBodyBytes}`);
  }
  return Number(length);
}
