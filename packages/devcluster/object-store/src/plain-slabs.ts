/** Of one slab. */
export const slabBytes = 256 * 1024;
/** Address space, not memory: more than is ever plain at once. */
const most = 4 * 1024 * 1024 * 1024;

/**
 * Slabs that are taken and given back all the time, in one piece of memory that grows and shrinks with them: what is
 * given back to an allocator comes back to the system late, or never.
 */
export class PlainSlabs {
  readonly #memory = reserved();
  /** Which slabs are taken. */
  readonly #isTaken: boolean[] = [];

  /** How much memory there is now. */
  get bytes(): number {
    return this.#memory.byteLength;
  }

  /** The lowest one that is free: the end is freed sooner that way. */
  take(): Buffer {
    const free = this.#isTaken.indexOf(false);
    const at = free < 0 ? this.#isTaken.length : free;
    this.#isTaken[at] = true;
    const end = this.#isTaken.length * slabBytes;
    if (end > this.#memory.byteLength) this.#memory.resize(end);
    return Buffer.from(this.#memory, at * slabBytes, slabBytes);
  }

  /** Callers must not read it any more. */
  giveBack(slab: Buffer): void {
    this.#isTaken[slab.byteOffset / slabBytes] = false;
    while (this.#isTaken.at(-1) === false) this.#isTaken.pop();
    // Now and then: memory that is taken again at once need not be given back.
    const needed = this.#isTaken.length * slabBytes;
    if (needed < this.#memory.byteLength / 2) this.#memory.resize(needed);
  }
}

interface ResizableBuffer extends ArrayBuffer {
  resize(bytes: number): void;
}

/** The language has it since 2024 and Node since version 20; the types that we compile with do not. */
function reserved(): ResizableBuffer {
  const Resizable = ArrayBuffer as unknown as new (
    bytes: number,
    options: { readonly maxByteLength: number },
  ) => ResizableBuffer;
  return new Resizable(0, { maxByteLength: most });
}
