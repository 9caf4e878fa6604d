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

/** A line whose first letter stands behind no more than blanks, a mark of an item, a box or one of emphasis. In it are no bar, and no open code. */
const plainLine =
  '(?= *(?:[-*+] +|\\d+[.)] +|\\[ ?\\] )?[("`*_]{0,2}[A-Za-z])[^\\n|`]*(?:`[^`\\n|]+`(?!`)[^\\n|`]*)*\\n';

/**
 * Paragraphs, lists and blocks of code of such lines, with a blank line behind each, up to a line that neither goes on with one of these nor
 * defines a term. No such line is a heading, underlines one, begins what could hide one, or is part of a table, whose bars may stand behind a
 * span of code that goes over lines. Takes all of them in one step; so many at most, for they are looked at again where the next line is another.
 */
const plainBlocks = new RegExp(`(?:(?:${plainLine})+\\n+){1,30}(?=[^\\s\\d*+:-]|\\*\\*|$)`, 'y');

/** What a plain line may begin with, besides a letter. */
const plainMarks = '("`*_[-+ 0123456789';

/** An item of a list, with the lines that go on with it, none of which holds a heading or underlines one. */
const plainRest = '[^\\n#]*(?![#=-])[!-~] *\\n';
const plainItem = `(?![-*+][-*+ ]*\\n)[-*+] +(?! )${plainRest}(?:(?=[ A-Za-z])${plainRest})*`;

/** Items, each before another of the same list. */
const plainItems = new RegExp(`(?:${plainItem}(?=[-*+] +[A-Za-z\`([]))+`, 'y');

const lineFeed = 10;

/** The reader goes no deeper. */
const maxDepth = 16;

/**
 * The headings of a text, also those in lists and quotes, as the Markdown reader of `mdtoc` finds them, which differs from CommonMark in most
 * constructs. The text has `\n` for line ends.
 * @param lineOf the line of an offset, where the caller knows it; without, lines are counted
 */
export function mdtocHeadings(text: string, lineOf?: (offset: number) => number): readonly MdtocHeading[] {
  const found: MdtocHeading[] = [];
  readBlocks({ text, lines: undefined }, 0, found, lineOf);
  return found;
}

function readBlocks(
  source: MdtocText,
  depth: number,
  found: MdtocHeading[],
  lineOf?: (offset: number) => number,
): void {
  if (depth < maxDepth && headingMark.test(source.text)) new BlockReader(source, depth, found, lineOf).read();
}

class BlockReader {
  readonly #text: string;
  readonly #lines: readonly number[] | undefined;
  readonly #depth: number;
  readonly #found: MdtocHeading[];
  readonly #knownLine: ((offset: number) => number) | undefined;
  readonly #stretches: MdtocStretches;
  readonly #bars: NextText;
  readonly #backticks: NextText;
  readonly #ids: NextText;
  #countedTo = 0;
  #counted = 0;

  constructor(
    { text, lines }: MdtocText,
    depth: number,
    found: MdtocHeading[],
    lineOf: ((offset: number) => number) | undefined,
  ) {
    this.#knownLine = lineOf;
    this.#text = text;
    this.#lines = lines;
    this.#depth = depth;
    this.#found = found;
    this.#stretches = new MdtocStretches(text);
    this.#bars = new NextText(text, '|');
    this.#backticks = new NextText(text, '`');
    this.#ids = new NextText(text, '{#');
  }

  read(): void {
    const text = this.#text;
    for (let at = 0; at < text.length; ) {
      if (text.charCodeAt(at) === lineFeed) at++;
      else at = Math.max(at + 1, this.#block(at));
    }
  }

  /** Reads what begins at `at`, and returns the offset behind it. */
  #block(at: number): number {
    const text = this.#text;
    const stretches = this.#stretches;
    const char = text[at] ?? '';
    if (beginsWord(text.charCodeAt(at)) || plainMarks.includes(char)) {
      plainBlocks.lastIndex = at;
      if (plainBlocks.test(text)) return plainBlocks.lastIndex;
    }
    const skipped = char === '-' || char === '%' ? stretches.frontMatter(at) : undefined;
    if (skipped !== undefined) return skipped;
    if (char === '#' || char === '.') {
      const mark = behind('heading', text, at) ?? behind('specialHeading', text, at);
      if (mark !== undefined) return this.#heading(at, mark);
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

  /** What follows an id, `{#id}`, on the line of a heading is read as if it stood on the next one. */
  #heading(at: number, mark: number): number {
    const text = this.#text;
    const isSpecial = text[at] === '.';
    const level = isSpecial ? 1 : mark - at - 1;
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
    if (end > from) this.#add(level, text.slice(from, end), at);
    return behindAll;
  }

  #add(level: number, source: string, at: number): void {
    this.#found.push({ level, source, line: this.#lineAt(this.#lineOf(at)) });
  }

  #lineAt(index: number): number {
    return this.#lines ? (this.#lines[index] ?? this.#lines.at(-1) ?? 0) : index;
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
    let line = this.#lineOf(from);
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
    readBlocks({ text: raw, lines }, this.#depth + 1, this.#found);
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
      plainItems.lastIndex = at;
      if (kind === 'bullets' && plainItems.test(this.#text)) at = plainItems.lastIndex;
      const item = readItem(this.#text, at, flags);
      if (!item || item.end === at) break;
      for (const part of item.parts) {
        const line = this.#lineOf(at);
        const lines = part.lines?.map((each) => this.#lineAt(line + each));
        readBlocks({ text: part.text, lines }, this.#depth + 1, this.#found);
      }
      at = item.end;
      if (flags.isLast) break;
    }
    return at;
  }

  /** The index of the line that holds an offset; offsets only grow. */
  #lineOf(at: number): number {
    if (this.#knownLine) return this.#knownLine(at);
    for (let next = this.#text.indexOf('\n', this.#countedTo); next >= 0 && next < at; ) {
      this.#counted++;
      this.#countedTo = next + 1;
      next = this.#text.indexOf('\n', this.#countedTo);
    }
    return this.#counted;
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
      if (beginsWord(text.charCodeAt(start)) && this.#tableHead(at) === undefined) {
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

/** Whether a line that begins so can only go on with a paragraph, or be part of a table. */
function beginsWord(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
}

/** A quote ends at a blank line with something else behind it. */
function endsQuote(text: string, at: number, end: number): boolean {
  if (behindBlank(text, at) === undefined) return false;
  if (end >= text.length) return true;
  return behind('quote', text, end) === undefined && behindBlank(text, end) === undefined;
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text[at - slashes - 1] === '\\') slashes++;
  return slashes % 2 === 1;
}
