import { parseJson } from '../transport/exact-json.js';
import { FrameError } from '../transport/frame-error.js';
import type { WatchFrame } from '../transport/transport.js';

const newline = 0x0a;
/** Longer than any object a server takes; what is longer is not a watch. */
const maxFrameBytes = 64 * 1024 * 1024;

/**
 * Turns the bytes of a watch into frames: one JSON value a line, however the bytes
 * are cut. Lines are cut as bytes, so no character is ever torn apart.
 */
export class WatchDecoder {
  #parts: Buffer[] = [];
  #length = 0;

  /** The frames that are complete with these bytes. @throws FrameError when a line is not a frame. */
  push(chunk: Buffer): WatchFrame[] {
    const frames: WatchFrame[] = [];
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      const line = this.#take(chunk.subarray(start, end));
      start = end + 1;
      const frame = frameOf(line);
      if (frame) frames.push(frame);
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
    return frames;
  }

  /** Whether bytes of an unfinished frame are left. */
  get isAmidFrame(): boolean {
    return this.#length > 0;
  }

  #take(last: Buffer): string {
    if (this.#length === 0) return last.toString('utf8');
    const line = Buffer.concat([...this.#parts, last]).toString('utf8');
    this.#parts = [];
    this.#length = 0;
    return line;
  }

  #keep(part: Buffer): void {
    this.#parts.push(part);
    this.#length += part.length;
    if (this.#length > maxFrameBytes) throw new FrameError('a watch event is larger than any object can be');
  }
}

function frameOf(line: string): WatchFrame | undefined {
  if (line.trim() === '') return undefined;
  try {
    const frame: unknown = parseJson(line);
    if (isFrame(frame)) return frame;
  } catch (error) {
    throw new FrameError(`a watch event is not JSON: ${line.slice(0, 80)}`, { cause: error });
  }
  throw new FrameError(`a watch event has no type or object: ${line.slice(0, 80)}`);
}

function isFrame(value: unknown): value is WatchFrame {
  if (typeof value !== 'object' || value === null) return false;
  const { type, object } = value as { type?: unknown; object?: unknown };
  return typeof type === 'string' && typeof object === 'object' && object !== null;
}
