import { isLetter } from './line-marks.js';
import type { Lines } from './lines.js';

const [tab, blank, numberSign, dollar, percent, star, plus, dash] = [9, 32, 35, 36, 37, 42, 43, 45];
const [colon, lessThan, greaterThan, openBracket, backtick, tilde] = [58, 60, 62, 91, 96, 126];

/**
 * Passes over lines in which the reader of `mdtoc` finds no heading, whatever blocks they make: each has a letter, and before it no mark of
 * a heading, a quote, a fence, a term, a reference or an element. What underlines a heading or the head of a table has no letter, and a head is
 * on the line before, unless code goes on behind its line. Offsets only grow, and each line is looked at once.
 */
export class PlainLines {
  readonly #text: string;
  readonly #ends: Uint32Array;
  #line = 0;
  #lookedTo = -1;
  #backtick = -1;
  #bar = -1;

  constructor(text: string, lines: Lines) {
    this.#text = text;
    this.#ends = lines.ends;
  }

  /**
   * Returns the last offset at which a block begins whatever was before it, if there are only such lines from `from` to it; otherwise `from`,
   * where a block begins.
   */
  end(from: number): number {
    if (from <= this.#lookedTo) return from;
    const text = this.#text;
    const ends = this.#ends;
    let line = this.#line;
    while ((ends[line] ?? from) < from) line++;
    let last = from;
    let at = from;
    let isBehindBlank = false;
    // The last line has no line feed.
    for (; line < ends.length - 1; line++) {
      const end = ends[line] ?? 0;
      if (end === at) isBehindBlank = true;
      else {
        if (isBehindBlank && endsAll(text, at)) last = at;
        isBehindBlank = false;
        if (!isLetter(text.charCodeAt(at)) && !beginsPlain(text, at, end)) break;
        if (this.#backtick < at) this.#backtick = offsetOf('`', text, at);
        if (this.#backtick < end) {
          if (this.#bar < at) this.#bar = offsetOf('|', text, at);
          if (this.#bar < text.length && holdsOpenCode(text, this.#backtick, end)) break;
        }
      }
      at = end + 1;
    }
    this.#line = line;
    this.#lookedTo = at;
    return last;
  }
}

/** Whether a line behind a blank one ends all lists and paragraphs. */
function endsAll(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (isLetter(code)) return true;
  if (code === star) return text.charCodeAt(at + 1) === star;
  if (code === blank || code === tab || code === dash || code === plus || code === colon) return false;
  return code < 48 || code > 57;
}

/** Looks at what is before the first letter of a line. */
function beginsPlain(text: string, from: number, end: number): boolean {
  let isFirst = true;
  for (let at = from; at < end; at++) {
    const code = text.charCodeAt(at);
    if (isLetter(code)) return true;
    if (code === blank || code === tab) continue;
    if (code >= 128 || code === numberSign || code === greaterThan) return false;
    if (code === backtick || code === tilde) {
      if (text.charCodeAt(at + 1) === code && text.charCodeAt(at + 2) === code) return false;
    } else if (isFirst) {
      if (code === colon) return false;
      if (code === openBracket && text.charCodeAt(text.indexOf(']', at) + 1) === colon) return false;
      if (at === from && (code === lessThan || code === dollar || code === percent)) return false;
      if (at === from && code === dash && text.startsWith('---', at)) return false;
    }
    isFirst = false;
  }
  return false;
}

/** Whether a span of code may begin in a line and end in another. */
function holdsOpenCode(text: string, from: number, end: number): boolean {
  let isOpen = false;
  for (let at = from; at < end; at++) {
    if (text.charCodeAt(at) !== backtick) continue;
    if (text.charCodeAt(at + 1) === backtick) return true;
    isOpen = !isOpen;
  }
  return isOpen;
}

/** The end of the text when it does not come again. */
function offsetOf(mark: string, text: string, from: number): number {
  const at = text.indexOf(mark, from);
  return at < 0 ? text.length : at;
}
