import { constants, createDeflateRaw, type DeflateRaw } from 'node:zlib';
import { windowBits } from './off-heap-text.js';

/** So many streams are kept open: each takes 64 KiB. */
const maxOpen = 16;
/** Texts from this length on are deflated as quickly as can be. */
const longFrom = 256 * 1024;

/** Deflates a text against an example, by itself: it can be read without those before it. */
export interface Deflate {
  deflate(text: Buffer, example: Buffer): Promise<Buffer>;
  /** Nothing is kept open; it may be used again. */
  rest(): void;
}

/**
 * Deflates many texts one after another, in other threads than the program's.
 *
 * One stream deflates all that have an example in common. Node keeps a copy of the example for each stream until the
 * garbage of a whole heap is collected, and knows nothing of how much that is: a stream for each text would have memory
 * filled with them.
 */
export class Deflaters implements Deflate {
  readonly #open = new Map<Buffer, Deflater>();

  deflate(text: Buffer, example: Buffer): Promise<Buffer> {
    return text.length < longFrom ? this.#deflaterFor(example).deflate(text) : deflatedOnce(text, example);
  }

  rest(): void {
    for (const [, deflater] of this.#open) deflater.close();
    this.#open.clear();
  }

  #deflaterFor(example: Buffer): Deflater {
    const deflater = this.#open.get(example) ?? new Deflater(example, 6);
    // The one that was used last is the last to go.
    this.#open.delete(example);
    this.#open.set(example, deflater);
    for (const [oldest, other] of this.#open) {
      if (this.#open.size <= maxOpen) break;
      this.#open.delete(oldest);
      other.close();
    }
    return deflater;
  }
}

async function deflatedOnce(text: Buffer, example: Buffer): Promise<Buffer> {
  const deflater = new Deflater(example, 1);
  const deflated = await deflater.deflate(text);
  deflater.close();
  return deflated;
}

class Deflater {
  readonly #stream: DeflateRaw;
  #parts: Buffer[] = [];

  constructor(dictionary: Buffer, level: number) {
    const chunkSize = 16 * 1024;
    // Each write is a whole of its own.
    const flush = constants.Z_FINISH;
    this.#stream = createDeflateRaw({ level, windowBits, memLevel: 6, chunkSize, dictionary, flush });
    this.#stream.on('data', (part: Buffer) => this.#parts.push(part));
  }

  deflate(text: Buffer): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#stream.write(text, (error) => {
        if (error) return reject(error);
        const parts = this.#parts;
        this.#parts = [];
        this.#stream.reset();
        resolve(parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts));
      });
    });
  }

  close(): void {
    this.#stream.destroy();
  }
}
