import { type Clock, systemClock, type Timer } from '@slipway/kube';
import { type Deflate, Deflaters } from './deflaters.js';
import { type KeptText, type Place, type Slab, windowBits } from './kept-text.js';
import { PlainSlabs, slabBytes } from './plain-slabs.js';

/** How often is looked for texts that nobody reads. */
const lookEveryMs = 5_000;
/** So many at once, which takes a millisecond or two, and then a pause for others. */
const atOnce = 32;
const pauseMs = 8;
/** While more than this many come from one look to the next there is better to do. */
const busyAbove = 2_000;
/** Unless so many bytes are plain: then there is no pause either. */
const mostPlain = 32 * 1024 * 1024;
/** Smaller ones stay as they are: deflated, they would be little smaller. */
const worthIt = 512;
/** How finely texts are told apart by length: those of a quarter more or less are alike. */
const likeLengths = 4;
/** Of a slab whose texts stay in it. */
const restingBytes = 32 * 1024;

/**
 * Keeps the texts of a store outside of the heap: there each collection would move them about, and leave holes.
 *
 * Those that nobody reads any more, most of all states that were superseded and events, are deflated, each by itself
 * against another one of its kind and about its length: that makes them about a twentieth. Reading one takes some ten microseconds
 * then, and makes it plain again until nobody reads it.
 */
export class KeptTexts {
  readonly #clock: Clock;
  readonly #deflaters: Deflate;
  readonly #slabs = new PlainSlabs();
  readonly #scratch = Buffer.allocUnsafeSlow(slabBytes);
  /** How many bytes in a slab are of texts that will be looked at, and leave it then. */
  readonly #leaving = new Map<Slab, number>();
  /** Where the next plain text goes, and the next one that is too small to be deflated. */
  #plain: Slab | undefined;
  #small: Slab | undefined;
  /** Where the next text of a kind and of about a length goes once it is deflated. */
  readonly #deflated = new Map<string, Slab>();
  /** Plain since the last look. */
  #fresh: KeptText[] = [];
  /** Plain for longer: those that nobody read meanwhile are deflated. */
  #older: KeptText[] = [];
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
  keep(text: KeptText): void {
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
  keepInflated(text: KeptText, bytes: Buffer): void {
    const slab = this.#plainSlab(bytes.length);
    this.#settleIn(slab, text, bytes.copy(slab.bytes, slab.used));
  }

  /** Bytes of memory that plain texts take, and room for the next ones. */
  get plainBytes(): number {
    return this.#slabs.bytes;
  }

  /** What is kept can be read as before. */
  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#fresh = [];
    this.#older = [];
  }

  /** The text is plain, is in a slab behind what was there, and is looked at in a while. */
  #settleIn(slab: Slab, text: KeptText, length: number): void {
    text.moveTo(slab, slab.used, slab.used + length);
    slab.used += length;
    this.#leaving.set(slab, (this.#leaving.get(slab) ?? 0) + length);
    this.#plainBytes += length;
    if (this.#isClosed) return;
    this.#fresh.push(text);
    this.#timer ??= this.#clock.after(lookEveryMs, () => this.#look());
  }

  #look(): void {
    if (this.#fresh.length > busyAbove && this.#plainBytes < mostPlain) this.#lookLater();
    else {
      // What stays plain moves to where there is room by then, and the memory behind is free.
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
      await this.#lookAt(this.#older[this.#next] as KeptText);
    }
    if (this.#isClosed) return this.#deflaters.rest();
    if (this.#next < this.#older.length) {
      if (this.#plainBytes > mostPlain) setImmediate(() => void this.#work());
      else this.#timer = this.#clock.after(pauseMs, () => void this.#work());
      return;
    }
    this.#deflaters.rest();
    this.#next = 0;
    this.#older = [];
    this.#timer = undefined;
    if (this.#fresh.length > 0) this.#lookLater();
  }

  /** Whatever becomes of it, it leaves its slab, or a few that are read would keep many slabs. */
  async #lookAt(text: KeptText): Promise<void> {
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

  /** A copy of them, good until the next one is asked for: a view of memory that may grow costs a hidden class of its own. */
  #bytesAt({ slab, start, end }: Place): Buffer {
    if (end - start > slabBytes) return slab.bytes.subarray(start, end);
    return this.#scratch.subarray(0, slab.bytes.copy(this.#scratch, 0, start, end));
  }

  #putSmall(text: KeptText, bytes: Buffer): void {
    if (!this.#small || !fits(bytes, this.#small)) this.#small = this.#restingSlab(bytes);
    put(text, bytes, this.#small);
  }

  async #deflate(text: KeptText, plain: Buffer): Promise<void> {
    // A pod that runs and one that waits are of a kind, and little alike.
    const kind = `${text.kindOfText} ${Math.round(Math.log(plain.length) * likeLengths)}`;
    // With one that is long nobody is to wait for a second attempt.
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

  /** Nothing is in it any more. */
  #release(slab: Slab): void {
    this.#leaving.delete(slab);
    if (slab !== this.#plain && slab.bytes.length === slabBytes) this.#slabs.giveBack(slab.bytes);
  }
}

function fits({ length }: Buffer, { bytes, used }: Slab): boolean {
  return used + length <= bytes.length;
}

function put(text: KeptText, bytes: Buffer, slab: Slab): void {
  const start = slab.used;
  slab.used += bytes.copy(slab.bytes, start);
  text.moveTo(slab, start, slab.used);
}
