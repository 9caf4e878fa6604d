import type { HeadingBlock } from './blocks.js';
import { behind, lineEnd } from './mdtoc-marks.js';
import { NextText } from './next-text.js';

/** A heading on a line of its own, behind its marks. */
interface HeadingLine {
  readonly level: number;
  /** Empty where nothing is behind the marks: such a heading is not listed. */
  readonly source: string;
  /** Offset where the next block begins. */
  readonly end: number;
}

/** Reads the headings of one text that begin with marks, in order, as the reader of `mdtoc` does. */
export class MdtocHeadingLines {
  readonly #text: string;
  readonly #headings: readonly HeadingBlock[];
  readonly #ids: NextText;
  #next = 0;

  /** @param headings those that CommonMark finds; not all need be given */
  constructor(text: string, headings: readonly HeadingBlock[]) {
    this.#text = text;
    this.#headings = headings;
    this.#ids = new NextText(text, '{#');
  }

  /** The heading that CommonMark finds here, if `mdtoc` reads its whole line alike. */
  known(at: number): HeadingBlock | undefined {
    while ((this.#headings[this.#next]?.start ?? at) < at) this.#next++;
    const heading = this.#headings[this.#next];
    if (heading?.start !== at) return undefined;
    const { level, content, end } = heading;
    if (content.start !== at + level + 1 || content.end !== end || content.start === end) return undefined;
    if (this.#text[at + level] !== ' ' || this.#text[end - 1] === '#') return undefined;
    const id = this.#ids.from(at);
    return id >= 0 && id < end ? undefined : heading;
  }

  /** What follows an id, `{#id}`, on the line of a heading is read as if it stood on the next one. */
  read(at: number): HeadingLine | undefined {
    const text = this.#text;
    const mark = behind('heading', text, at) ?? behind('specialHeading', text, at);
    if (mark === undefined) return undefined;
    const isSpecial = text[at] === '.';
    let from = isSpecial ? at + 2 : mark;
    while (text[from] === ' ') from++;
    const whole = lineEnd(text, at);
    let end = whole;
    let behindAll = whole;
    const id = this.#ids.from(from);
    const idEnd = id < 0 || id >= whole ? -1 : text.indexOf('}', id);
    if (idEnd >= 0 && idEnd < whole) {
      end = id;
      behindAll = idEnd + 1;
      while (end > 0 && text[end - 1] === ' ') end--;
    }
    while (text[end - 1] === '#' && !isEscaped(text, end - 1)) end--;
    while (text[end - 1] === ' ') end--;
    return { level: isSpecial ? 1 : mark - at - 1, source: end > from ? text.slice(from, end) : '', end: behindAll };
  }
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text[at - slashes - 1] === '\\') slashes++;
  return slashes % 2 === 1;
}
