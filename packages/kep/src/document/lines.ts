/** A stretch of text: UTF-16 offsets, `end` excluded. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A place in a text, line and column counted from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

export type LineEnding = 'lf' | 'crlf' | 'cr' | 'mixed';

/** Where the lines of a text begin and end. Line numbers count from 0 here and from 1 in a `Place`. */
export class Lines {
  readonly count: number;
  readonly ending: LineEnding;
  readonly #starts: Uint32Array;
  /** Undefined where every line ends one character before the next. */
  readonly #ends: Uint32Array | undefined;
  readonly #textEnd: number;

  constructor(text: string) {
    let lf = 0;
    let crlf = 0;
    let cr = 0;
    if (text.includes('\r')) {
      const starts: number[] = [0];
      const ends: number[] = [];
      for (let at = 0; at < text.length; at++) {
        const code = text.charCodeAt(at);
        if (code === 10) lf++;
        else if (code !== 13) continue;
        ends.push(at);
        if (code === 13) {
          if (text.charCodeAt(at + 1) === 10) {
            crlf++;
            at++;
          } else cr++;
        }
        starts.push(at + 1);
      }
      ends.push(text.length);
      this.#starts = new Uint32Array(starts);
      this.#ends = new Uint32Array(ends);
    } else {
      this.#starts = startsIn(text);
      lf = this.#starts.length - 1;
    }
    this.count = this.#starts.length;
    this.#textEnd = text.length;
    const kinds = [lf, crlf, cr].filter((count) => count > 0).length;
    this.ending = kinds > 1 ? 'mixed' : crlf > 0 ? 'crlf' : cr > 0 ? 'cr' : 'lf';
  }

  /** Offset of the first character of a line; the end of the text for lines beyond the last. */
  start(line: number): number {
    return this.#starts[line] ?? this.#textEnd;
  }

  /** Offset just behind the last character of a line, its line ending left out. */
  end(line: number): number {
    if (this.#ends) return this.#ends[line] ?? this.#textEnd;
    const next = this.#starts[line + 1];
    return next === undefined ? this.#textEnd : next - 1;
  }

  /** The line that holds an offset. */
  at(offset: number): number {
    let low = 0;
    let high = this.count - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  place(offset: number): Place {
    const line = this.at(offset);
    return { line: line + 1, column: offset - this.start(line) + 1 };
  }
}

/** Grows to the longest document of the process. */
let room = new Uint32Array(4_096);

/** Where the lines of a text begin whose lines all end with a line feed. */
function startsIn(text: string): Uint32Array {
  let count = 0;
  room[count++] = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    if (count === room.length) {
      const larger = new Uint32Array(2 * count);
      larger.set(room);
      room = larger;
    }
    room[count++] = at + 1;
  }
  return room.slice(0, count);
}

/** The characters of a line ending, for text that is written into a document. */
export function lineEndingText(ending: LineEnding): string {
  return ending === 'crlf' ? '\r\n' : ending === 'cr' ? '\r' : '\n';
}
