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
  /** Offset of the first character of each line. */
  readonly starts: Uint32Array;
  /** Offset just behind the last character of each line, its line ending left out. */
  readonly ends: Uint32Array;
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
      this.starts = new Uint32Array(starts);
      this.ends = new Uint32Array(ends);
    } else {
      lf = readLineFeeds(text);
      this.starts = startsRoom.slice(0, lf + 1);
      this.ends = endsRoom.slice(0, lf + 1);
    }
    this.count = this.starts.length;
    this.#textEnd = text.length;
    const kinds = [lf, crlf, cr].filter((count) => count > 0).length;
    this.ending = kinds > 1 ? 'mixed' : crlf > 0 ? 'crlf' : cr > 0 ? 'cr' : 'lf';
  }

  /** Offset of the first character of a line; the end of the text for lines beyond the last. */
  start(line: number): number {
    return line >= 0 && line < this.count ? (this.starts[line] ?? 0) : this.#textEnd;
  }

  /** Offset just behind the last character of a line, its line ending left out. */
  end(line: number): number {
    return line >= 0 && line < this.count ? (this.ends[line] ?? 0) : this.#textEnd;
  }

  /** The line that holds an offset. */
  at(offset: number): number {
    let low = 0;
    let high = this.count - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  place(offset: number): Place {
    const line = this.at(offset);
    return { line: line + 1, column: offset - this.start(line) + 1 };
  }
}

/** Grow to the longest document of the process. */
let startsRoom = new Uint32Array(4_096);
let endsRoom = new Uint32Array(4_096);

/** Writes into the rooms where the lines of a text begin and end whose lines all end with a line feed. Returns how many line feeds there are. */
function readLineFeeds(text: string): number {
  let count = 0;
  startsRoom[0] = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    endsRoom[count++] = at;
    if (count === startsRoom.length) {
      startsRoom = twice(startsRoom);
      endsRoom = twice(endsRoom);
    }
    startsRoom[count] = at + 1;
  }
  endsRoom[count] = text.length;
  return count;
}

function twice(room: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(2 * room.length);
  larger.set(room);
  return larger;
}

/** The characters of a line ending, for text that is written into a document. */
export function lineEndingText(ending: LineEnding): string {
  return ending === 'crlf' ? '\r\n' : ending === 'cr' ? '\r' : '\n';
}

/** Counts the blanks that a line begins with. */
export function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
