import { inflateRawSync } from 'node:zlib';
import type { EncodedText } from './store.js';

/** As far back as deflate is to look. A small window is quickly made and cleared. */
export const windowBits = 13;

/** Bytes of many texts: a buffer for each would cost more than what is in it. It goes with the last text that is in it. */
export interface Slab {
  readonly texts: { keepInflated(text: KeptText, bytes: Buffer): void };
  readonly bytes: Buffer;
  used: number;
  /** What the texts in it were deflated against; undefined where they are plain. */
  readonly example?: Buffer;
}

/** The bytes of a text in a slab, from `start` up to `end`. */
export interface Place {
  readonly slab: Slab;
  readonly start: number;
  readonly end: number;
}

/**
 * A text: at first a string on the heap, or made when first asked for; then among others in a slab, as `KeptTexts` has it.
 * There are many, and a private method costs each of them a field: theirs are static.
 */
export abstract class KeptText {
  #text: string | (() => string) | Slab;
  #start = 0;
  #end = 0;
  #size: number;
  #isRead = false;

  constructor(text: string | (() => string)) {
    this.#text = text;
    this.#size = typeof text === 'string' ? text.length : 0;
  }

  /** Texts of the same kind are alike. */
  abstract get kindOfText(): string;

  /** Characters; 0 while it was not made. */
  get size(): number {
    return this.#size;
  }

  /** The text, which others will want as well: if it was deflated it is plain from now on. */
  read(): string {
    KeptText.#makePlain(this);
    return this.peek();
  }

  /** As `read`, in the bytes in which it is kept where it is off the heap. */
  encoded(): EncodedText | string {
    KeptText.#makePlain(this);
    if (typeof this.#text !== 'object') return KeptText.#fromHeap(this);
    return { bytes: this.#text.bytes, start: this.#start, end: this.#end };
  }

  /** The text, for one look: if it is deflated it stays so. */
  peek(): string {
    if (typeof this.#text !== 'object') return KeptText.#fromHeap(this);
    const { bytes, example } = this.#text;
    if (example) return KeptText.#inflated(this, this.#text, example).toString();
    // One byte for each character means ASCII, which is read twice as fast when that is known.
    return bytes.toString(this.#end - this.#start === this.#size ? 'latin1' : 'utf8', this.#start, this.#end);
  }

  /** The string that it still is, if it is one. */
  get onHeap(): string | undefined {
    return typeof this.#text === 'string' ? this.#text : undefined;
  }

  /** Where it is when it is not on the heap. */
  get inSlab(): Place | undefined {
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

  static #makePlain(text: KeptText): void {
    text.#isRead = true;
    if (typeof text.#text !== 'object') return;
    const { texts, example } = text.#text;
    if (example) texts.keepInflated(text, KeptText.#inflated(text, text.#text, example));
  }

  static #fromHeap(text: KeptText): string {
    if (typeof text.#text === 'function') {
      text.#text = text.#text();
      text.#size = text.#text.length;
    }
    return text.#text as string;
  }

  static #inflated(text: KeptText, { bytes }: Slab, dictionary: Buffer): Buffer {
    const chunkSize = Math.max(64, text.#size + 64);
    return inflateRawSync(bytes.subarray(text.#start, text.#end), { windowBits, chunkSize, dictionary });
  }
}
