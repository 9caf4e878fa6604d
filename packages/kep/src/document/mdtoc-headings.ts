import type { HeadingBlock } from './blocks.js';
import { isLetter } from './line-marks.js';
import { Lines } from './lines.js';
import { MdtocHeadingLines } from './mdtoc-heading-lines.js';
import { type ItemFlags, readItem } from './mdtoc-item.js';
import {
  behind,
  behindBlank,
  behindReference,
  headingMark,
  isHeading,
  isRule,
  lineEnd,
  nextLine,
} from './mdtoc-marks.js';
import { PlainLines } from './mdtoc-plain.js';
import { MdtocStretches } from './mdtoc-stretches.js';
import { behindTableHead } from './mdtoc-table.js';
import type { MdtocText } from './mdtoc-text.js';
import { NextText } from './next-text.js';

/** A heading as `mdtoc` sees it. */
export interface MdtocHeading {
  readonly level: number;
  /** With its inline Markdown. */
  readonly source: string;
  /** Counted from the first line of the text. */
  readonly line: number;
}

/** With one of these a line can begin that ends a paragraph; most lines begin with none. */
const paragraphEnders = '#.*-_>`~';

/** What a block of code, a rule, a quote or a list begins with. */
const blockMarks = '`~*-_>+0123456789';

const lineFeed = 10;

/** The reader goes no deeper. */
const maxDepth = 16;

/** What CommonMark makes of the same text. */
export interface KnownBlocks {
  readonly lines: Lines;
  readonly headings: readonly HeadingBlock[];
}

/**
 * The headings of a text from an offset on, also those in lists and quotes, as the Markdown reader of `mdtoc` finds them, which differs from
 * CommonMark in most constructs. The text has `\n` for line ends.
 * @param known saves reading what both read alike
 */
export function mdtocHeadings(text: string, from = 0, known?: KnownBlocks): readonly MdtocHeading[] {
  const found: MdtocHeading[] = [];
  new BlockReader({ text, lines: undefined }, 0, found, known).read(from);
  return found;
}

function readNested(source: MdtocText, depth: number, found: MdtocHeading[]): void {
  if (depth < maxDepth && headingMark.test(source.text)) new BlockReader(source, depth, found).read(0);
}

class BlockReader {
  readonly #text: string;
  readonly #lines: Lines;
  readonly #origins: readonly number[] | undefined;
  readonly #depth: number;
  readonly #found: MdtocHeading[];
  readonly #headingLines: MdtocHeadingLines;
  readonly #stretches: MdtocStretches;
  readonly #plain: PlainLines;
  readonly #bars: NextText;
  readonly #backticks: NextText;

  constructor(
    { text, lines }: MdtocText,
    depth: number,
    found: MdtocHeading[],
    known: KnownBlocks = { lines: new Lines(text), headings: [] },
  ) {
    this.#text = text;
    this.#lines = known.lines;
    this.#origins = lines;
    this.#depth = depth;
    this.#found = found;
    this.#stretches = new MdtocStretches(text);
    this.#plain = new PlainLines(text, this.#lines);
    this.#bars = new NextText(text, '|');
    this.#backticks = new NextText(text, '`');
    this.#headingLines = new MdtocHeadingLines(text, known.headings);
  }

  read(from: number): void {
    const text = this.#text;
    for (let at = from; at < text.length; ) {
      while (at < text.length && text.charCodeAt(at) === lineFeed) at++;
      at = this.#plain.end(at);
      const heading = this.#headingLines.known(at);
      if (heading) {
        this.#found.push(heading);
        at = heading.end;
      } else if (at < text.length) at = Math.max(at + 1, this.#block(at));
    }
  }

  /** Reads what begins at `at`, and returns the offset behind it. */
  #block(at: number): number {
    const text = this.#text;
    const stretches = this.#stretches;
    const char = text[at] ?? '';
    const skipped = char === '-' || char === '%' ? stretches.frontMatter(at) : undefined;
    if (skipped !== undefined) return skipped;
    if (char === '#' || char === '.') {
      const heading = this.#headingLines.read(at);
      if (heading !== undefined) {
        if (heading.source !== '') this.#add(heading.level, heading.source, at);
        return heading.end;
      }
    }
    if (char === '<') {
      const end =
        text[at + 1] === '!'
          ? stretches.comment(at)
          : (stretches.bibliography(at) ?? stretches.element(at) ?? this.#ruleTag(at));
      if (end !== undefined) return end;
    }
    const blank = behindBlank(text, at);
    if (blank !== undefined) return blank;
    if ((char === ' ' || char === '\t') && behind('code', text, at) !== undefined) return this.#code(at);
    const mark = text[this.#firstMark(at)] ?? '\n';
    // Most blocks are paragraphs and begin with none of the marks.
    const isMarked = blockMarks.includes(mark);
    const fence = isMarked ? stretches.fence(at) : undefined;
    if (fence !== undefined) return fence;
    if (isMarked && isRule(text, at)) return lineEnd(text, at);
    if (isMarked && behind('quote', text, at) !== undefined) return this.#quote(at);
    const table = this.#table(at);
    if (table !== undefined) return table;
    const bullet = isMarked && behind('bullet', text, at) !== undefined;
    if (bullet || (isMarked && behind('number', text, at) !== undefined))
      return this.#list(at, bullet ? 'bullets' : 'numbers');
    if (char === ':' && behind('definition', text, at) !== undefined) return this.#list(at, 'definitions');
    return stretches.math(at) ?? this.#paragraph(at);
  }

  #add(level: number, source: string, at: number): void {
    this.#found.push({ level, source, line: this.#lineAt(this.#lines.at(at)) });
  }

  #lineAt(index: number): number {
    return this.#origins ? (this.#origins[index] ?? this.#origins.at(-1) ?? 0) : index;
  }

  #ruleTag(at: number): number | undefined {
    const end = behind('horizontalRuleTag', this.#text, at);
    return end === undefined ? undefined : behindBlank(this.#text, end);
  }

  #code(at: number): number {
    let end = at;
    while (end < this.#text.length) {
      if (behindBlank(this.#text, end) === undefined && behind('code', this.#text, end) === undefined) break;
      end = nextLine(this.#text, end);
    }
    return end;
  }

  #table(at: number): number | undefined {
    const text = this.#text;
    let end = this.#tableHead(at);
    while (end !== undefined && end < text.length && text.slice(end, lineEnd(text, end)).includes('|'))
      end = nextLine(text, end);
    return end;
  }

  #tableHead(at: number): number | undefined {
    const bar = this.#bars.from(at);
    if (bar < 0) return undefined;
    const end = lineEnd(this.#text, at);
    if (bar >= end) {
      // A line without a bar can be part of a table where a span of code goes on below.
      const backtick = this.#backticks.from(at);
      if (backtick < 0 || backtick >= end || bar >= this.#stretches.lineEndBehindCode(backtick, end)) return undefined;
    }
    return behindTableHead(this.#text, at, this.#stretches);
  }

  #quote(from: number): number {
    const text = this.#text;
    let raw = '';
    const lines: number[] = [];
    let line = this.#lines.at(from);
    let at = from;
    let end = from;
    while (at < text.length) {
      end = this.#quotedEnd(at);
      const prefix = behind('quote', text, at);
      if (prefix === undefined && endsQuote(text, at, end)) break;
      const part = text.slice(prefix ?? at, end);
      raw += part;
      for (let next = -1; ; ) {
        lines.push(this.#lineAt(line));
        next = part.indexOf('\n', next + 1);
        if (next < 0 || next === part.length - 1) break;
        line++;
      }
      line++;
      at = end;
    }
    readNested({ text: raw, lines }, this.#depth + 1, this.#found);
    return end;
  }

  /** A line of a quote goes up to its end, or to that of a block of code that begins in it. */
  #quotedEnd(at: number): number {
    const end = lineEnd(this.#text, at);
    for (const { index } of this.#text.slice(at, end).matchAll(/`{3,}|~{3,}/g)) {
      const fence = this.#stretches.fence(at + index);
      if (fence !== undefined) return fence;
    }
    return Math.min(this.#text.length, end + 1);
  }

  #list(from: number, kind: ItemFlags['kind']): number {
    const flags: ItemFlags = { kind, holdsBlocks: false, isTerm: false, isLast: false };
    let at = from;
    while (at < this.#text.length) {
      const item = readItem(this.#text, at, flags);
      if (!item || item.end === at) break;
      for (const part of item.parts) {
        const line = this.#lines.at(at);
        const lines = part.lines?.map((each) => this.#lineAt(line + each));
        readNested({ text: part.text, lines }, this.#depth + 1, this.#found);
      }
      at = item.end;
      if (flags.isLast) break;
    }
    return at;
  }

  /** The offset of the first character of a line behind at most three blanks. */
  #firstMark(at: number): number {
    let start = at;
    while (this.#text[start] === ' ' && start < at + 3) start++;
    return start;
  }

  #endsParagraph(at: number): boolean {
    const text = this.#text;
    if (isHeading(text, at) || isRule(text, at) || behind('quote', text, at) !== undefined) return true;
    return this.#stretches.fence(at) !== undefined;
  }

  #paragraph(from: number): number {
    const text = this.#text;
    let before = from;
    for (let at = from; at < text.length; at = nextLine(text, at)) {
      const start = this.#firstMark(at);
      const mark = text[start] ?? '\n';
      if (isLetter(text.charCodeAt(start)) && this.#tableHead(at) === undefined) {
        before = at;
        continue;
      }
      const reference = mark === '[' ? behindReference(text, at) : undefined;
      if (reference !== undefined) return reference;
      const blank = behindBlank(text, at);
      if (blank !== undefined)
        return at < text.length - 1 && text[at + 1] === ':' ? this.#list(before, 'definitions') : blank;
      const isUnderline = at !== from && (mark === '=' || mark === '-');
      const underline = isUnderline ? behind('underline', text, at) : undefined;
      if (underline !== undefined) {
        this.#add(text[at] === '=' ? 1 : 2, text.slice(before, at - 1).replace(/^ +| +$/g, ''), before);
        return underline - 1;
      }
      if (paragraphEnders.includes(mark) && this.#endsParagraph(at)) return at;
      if (this.#tableHead(at) !== undefined) return at;
      if (mark === ':' && behind('definition', text, at) !== undefined) return this.#list(before, 'definitions');
      before = at;
    }
    return text.length;
  }
}

/** A quote ends at a blank line with something else behind it. */
function endsQuote(text: string, at: number, end: number): boolean {
  if (behindBlank(text, at) === undefined) return false;
  if (end >= text.length) return true;
  return behind('quote', text, end) === undefined && behindBlank(text, end) === undefined;
}
