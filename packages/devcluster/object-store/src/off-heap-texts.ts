import { type Clock, systemClock, type Timer } from '@slipway/kube';
import { type Deflate, Deflaters } from './deflaters.js';
import { type OffHeapText, type Slab, type TextRange, windowBits } from './off-heap-text.js';
import { PlainSlabs, slabBytes } from './plain-slabs.js';

/** Interval of the scan for unread texts. */
const lookEveryMs = 5_000;
/** Texts deflated between two pauses, which takes a millisecond or two. */
const atOnce = 32;
const pauseMs = 8;
/** While more texts than this arrive between two scans, deflating waits. */
const busyAbove = 2_000;
/** Maximum of plain bytes: above it deflating neither waits nor pauses. */
const maxPlain = 32 * 1024 * 1024;
/** Texts of fewer bytes stay plain: deflating them would save little. */
const worthIt = 512;
/** Length classes per factor of e: the lengths in one class differ by at most a quarter. */
const likeLengths = 4;
/** Of a slab whose texts stay in it. */
const restingBytes = 32 * 1024;

/** Where a store keeps the texts of its entries. */
export interface KeepsTexts {
  keep(text: OffHeapText): void;
  close(): void;
}

/**
 * Keeps the texts of a store outside of the heap, where each garbage collection would move them and fragment memory.
 *
 * Unread texts, mostly superseded states and events, are deflated one by one, with another text of the same kind and
 * similar length as the dictionary, to about a twentieth. Reading a deflated text takes some ten microseconds and
 * inflates it until it is unread again.
 */
export class OffHeapTexts implements KeepsTexts {
  readonly #clock: Clock;
  readonly #deflaters: Deflate;
  readonly #slabs = new PlainSlabs();
  readonly #scratch = Buffer.allocUnsafeSlow(slabBytes);
  /** Bytes of each slab that belong to texts which the next scan will move. */
  readonly #leaving = new Map<Slab, number>();
  /** The slabs of the next plain text, and of the next text that is too small to be deflated. */
  #plain: Slab | undefined;
  #small: Slab | undefined;
  /** The slab of the next deflated text, by kind and length class. */
  readonly #deflated = new Map<string, Slab>();
  /** Plain since the last scan. */
  #fresh: OffHeapText[] = [];
  /** Plain for longer: those that were not read since are deflated. */
  #older: OffHeapText[] = [];
  #next = 0;
  #plainBytes = 0;
  #timer: Timer | undefined;
  #isClosed = false;

  /** The clock of the machine, also where the cluster has another one: memory fills in real time. */
  constructor(clock: Clock = systemClock, deflaters: Deflate = new Deflaters()) {
    this.#clock = clock;
    this.#deflaters = deflaters;
  }

  /** Takes a text from the heap. */
  keep(text: OffHeapText): void {
    const string = text.onHeap;
    // A slab is free when the bytes in it have left it, of which an empty text has none.
    if (!string) return;
    // At most three bytes a character.
    const atMost = string.length * 3;
    if (atMost > slabBytes) {
      this.keepInflated(text, Buffer.from(string));
      return;
    }
    const slab = this.#plainSlab(atMost);
    const start = slab.used;
    // Text that is ASCII, as most is, is written as it is.
    const encoding = Buffer.byteLength(string) === string.length ? 'latin1' : 'utf8';
    this.#settleIn(slab, text, slab.bytes.write(string, start, encoding));
  }

  /** Takes a text as it was before it was deflated. */
  keepInflated(text: OffHeapText, bytes: Buffer): void {
    const slab = this.#plainSlab(bytes.length);
    this.#settleIn(slab, text, bytes.copy(slab.bytes, slab.used));
  }

  /** Bytes of memory that plain texts take, and room for the next ones. */
  get plainBytes(): number {
    return this.#slabs.bytes;
  }

  /** Stops deflating. Texts can still be read. */
  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#fresh = [];
    this.#older = [];
  }

  /** Appends a plain text to a slab and schedules its scan. */
  #settleIn(slab: Slab, text: OffHeapText, length: number): void {
    text.moveTo(slab, slab.used, slab.used + length);
    slab.used += length;
    this.#leaving.set(slab, (this.#leaving.get(slab) ?? 0) + length);
    this.#plainBytes += length;
    if (this.#isClosed) return;
    this.#fresh.push(text);
    this.#timer ??= this.#clock.after(lookEveryMs, () => this.#look());
  }

  #look(): void {
    if (this.#fresh.length > busyAbove && this.#plainBytes < maxPlain) this.#lookLater();
    else {
      // Texts that stay plain move to the current slab, which frees the older ones.
      this.#finishSlab();
      void this.#work();
    }
  }

  #lookLater(): void {
    this.#older = this.#older.concat(this.#fresh);
    this.#fresh = [];
    this.#timer = this.#clock.after(lookEveryMs, () => this.#look());
  }

  async #work(): Promise<void> {
    const end = Math.min(this.#next + atOnce, this.#older.length);
    for (; this.#next < end; this.#next += 1) {
      if (this.#isClosed) break;
      await this.#lookAt(this.#older[this.#next] as OffHeapText);
    }
    if (this.#isClosed) return this.#deflaters.rest();
    if (this.#next < this.#older.length) {
      if (this.#plainBytes > maxPlain) setImmediate(() => void this.#work());
      else this.#timer = this.#clock.after(pauseMs, () => void this.#work());
      return;
    }
    this.#deflaters.rest();
    this.#next = 0;
    this.#older = [];
    this.#timer = undefined;
    if (this.#fresh.length > 0) this.#lookLater();
  }

  /** Moves a text out of its slab in any case: otherwise a few texts that are read would keep many slabs. */
  async #lookAt(text: OffHeapText): Promise<void> {
    const place = text.inSlab;
    if (!place) return;
    const { slab } = place;
    const bytes = this.#bytesAt(place);
    if (text.wasRead()) this.keepInflated(text, bytes);
    else if (bytes.length < worthIt) this.#putSmall(text, bytes);
    else await this.#deflate(text, bytes);
    this.#plainBytes -= bytes.length;
    const left = (this.#leaving.get(slab) ?? 0) - bytes.length;
    if (left > 0) this.#leaving.set(slab, left);
    else this.#release(slab);
  }

  /** A copy of the bytes, valid until the next call: a view of memory that may grow costs a hidden class of its own. */
  #bytesAt({ slab, start, end }: TextRange): Buffer {
    if (end - start > slabBytes) return slab.bytes.subarray(start, end);
    return this.#scratch.subarray(0, slab.bytes.copy(this.#scratch, 0, start, end));
  }

  #putSmall(text: OffHeapText, bytes: Buffer): void {
    if (!this.#small || !fits(bytes, this.#small)) this.#small = this.#restingSlab(bytes);
    put(text, bytes, this.#small);
  }

  async #deflate(text: OffHeapText, plain: Buffer): Promise<void> {
    // A running pod and a pending one are of the same kind, but share little text.
    const kind = `${text.kindOfText} ${Math.round(Math.log(plain.length) * likeLengths)}`;
    // A second attempt with a long text would take too long.
    let slab = plain.length > slabBytes ? undefined : this.#deflated.get(kind);
    let deflated = slab?.example && (await this.#deflaters.deflate(plain, slab.example));
    if (!slab?.example || !deflated || deflated.length * 4 > plain.length) {
      const example = Buffer.from(plain.subarray(0, 2 ** windowBits));
      deflated = await this.#deflaters.deflate(plain, example);
      slab = this.#restingSlab(deflated, example);
    } else if (!fits(deflated, slab)) slab = this.#restingSlab(deflated, slab.example);
    this.#deflated.set(kind, slab);
    put(text, deflated, slab);
  }

  #plainSlab(bytes: number): Slab {
    if (bytes > slabBytes) return { texts: this, bytes: Buffer.allocUnsafeSlow(bytes), used: 0 };
    if (this.#plain && this.#plain.used + bytes > slabBytes) this.#finishSlab();
    this.#plain ??= { texts: this, bytes: this.#slabs.take(), used: 0 };
    return this.#plain;
  }

  #finishSlab(): void {
    const finished = this.#plain;
    this.#plain = undefined;
    if (finished && !this.#leaving.has(finished)) this.#release(finished);
  }

  #restingSlab(first: Buffer, example?: Buffer): Slab {
    const bytes = Buffer.allocUnsafeSlow(Math.max(restingBytes, first.length));
    return { texts: this, bytes, used: 0, ...(example && { example }) };
  }

  /** Frees a slab without texts. */
  #release(slab: Slab): void {
    this.#leaving.delete(slab);
    if (slab !== this.#plain && slab.bytes.length === slabBytes) this.#slabs.giveBack(slab.bytes);
  }
}

function fits({ length }: Buffer, { bytes, used }: Slab): boolean {
  return used + length <= bytes.length;
}

function put(text: OffHeapText, bytes: Buffer, slab: Slab): void {
  const start = slab.used;
  slab.used += bytes.copy(slab.bytes, start);
  text.moveTo(slab, start, slab.used);
}
