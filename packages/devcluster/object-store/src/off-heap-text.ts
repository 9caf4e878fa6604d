import { inflateRawSync } from 'node:zlib';
import type { EncodedText } from './store.js';

/** Window size of deflate. A small window is quickly allocated and cleared. */
export const windowBits = 13;

/** The bytes of many texts: one buffer for each would cost more than its content. Freed with its last text. */
export interface Slab {
  readonly texts: { keepInflated(text: OffHeapText, bytes: Buffer): void };
  readonly bytes: Buffer;
  used: number;
  /** The dictionary of its deflated texts; undefined when its texts are plain. */
  readonly example?: Buffer;
}

/** The bytes of a text in a slab, from `start` up to `end`. */
export interface TextRange {
  readonly slab: Slab;
  readonly start: number;
  readonly end: number;
}

/**
 * A text: first a string on the heap, possibly made on first use, then a part of a slab of `OffHeapTexts`.
 * There are many of them, and a private method would cost each a field; therefore the methods are static.
 */
export abstract class OffHeapText {
  #text: string | (() => string) | Slab;
  #start = 0;
  #end = 0;
  #size: number;
  #isRead = false;

  constructor(text: string | (() => string)) {
    this.#text = text;
    this.#size = typeof text === 'string' ? text.length : 0;
  }

  /** Texts of the same kind have much in common. */
  abstract get kindOfText(): string;

  /** Characters; 0 before the text is made. */
  get size(): number {
    return this.#size;
  }

  /** Returns the text and keeps it plain from now on, because more readers are likely. */
  read(): string {
    OffHeapText.#makePlain(this);
    return this.peek();
  }

  /** As `read`, in the bytes in which it is kept where it is off the heap. */
  encoded(): EncodedText | string {
    OffHeapText.#makePlain(this);
    if (typeof this.#text !== 'object') return OffHeapText.#fromHeap(this);
    return { bytes: this.#text.bytes, start: this.#start, end: this.#end };
  }

  /** Returns the text without inflating what is kept. */
  peek(): string {
    if (typeof this.#text !== 'object') return OffHeapText.#fromHeap(this);
    const { bytes, example } = this.#text;
    if (example) return OffHeapText.#inflated(this, this.#text, example).toString();
    // One byte for each character means ASCII, which is read twice as fast when that is known.
    return bytes.toString(this.#end - this.#start === this.#size ? 'latin1' : 'utf8', this.#start, this.#end);
  }

  /** The string that it still is, if it is one. */
  get onHeap(): string | undefined {
    return typeof this.#text === 'string' ? this.#text : undefined;
  }

  /** Where it is when it is not on the heap. */
  get inSlab(): TextRange | undefined {
    return typeof this.#text === 'object' ? { slab: this.#text, start: this.#start, end: this.#end } : undefined;
  }

  moveTo(slab: Slab, start: number, end: number): void {
    this.#text = slab;
    this.#start = start;
    this.#end = end;
  }

  /** Whether it was read since this was asked last. */
  wasRead(): boolean {
    const isRead = this.#isRead;
    this.#isRead = false;
    return isRead;
  }

  static #makePlain(text: OffHeapText): void {
    text.#isRead = true;
    if (typeof text.#text !== 'object') return;
    const { texts, example } = text.#text;
    if (example) texts.keepInflated(text, OffHeapText.#inflated(text, text.#text, example));
  }

  static #fromHeap(text: OffHeapText): string {
    if (typeof text.#text === 'function') {
      text.#text = text.#text();
      text.#size = text.#text.length;
    }
    return text.#text as string;
  }

  static #inflated(text: OffHeapText, { bytes }: Slab, dictionary: Buffer): Buffer {
    const chunkSize = Math.max(64, text.#size + 64);
    return inflateRawSync(bytes.subarray(text.#start, text.#end), { windowBits, chunkSize, dictionary });
  }
}
