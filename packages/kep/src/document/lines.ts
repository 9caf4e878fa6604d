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
  readonly #ends: Uint32Array;

  constructor(text: string) {
    const starts: number[] = [0];
    const ends: number[] = [];
    let lf = 0;
    let crlf = 0;
    let cr = 0;
    if (text.includes('\r')) {
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
    } else {
      for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
        ends.push(at);
        starts.push(at + 1);
      }
      lf = ends.length;
    }
    ends.push(text.length);
    this.count = starts.length;
    this.#starts = Uint32Array.from(starts);
    this.#ends = Uint32Array.from(ends);
    const kinds = [lf, crlf, cr].filter((count) => count > 0).length;
    this.ending = kinds > 1 ? 'mixed' : crlf > 0 ? 'crlf' : cr > 0 ? 'cr' : 'lf';
  }

  /** Offset of the first character of a line; the end of the text for lines beyond the last. */
  start(line: number): number {
    return this.#starts[line] ?? this.#ends[this.count - 1] ?? 0;
  }

  /** Offset just behind the last character of a line, its line ending left out. */
  end(line: number): number {
    return this.#ends[line] ?? this.#ends[this.count - 1] ?? 0;
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

/** The characters of a line ending, for text that is written into a document. */
export function lineEndingText(ending: LineEnding): string {
  return ending === 'crlf' ? '\r\n' : ending === 'cr' ? '\r' : '\n';
}
