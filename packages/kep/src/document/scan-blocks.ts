import { type Blocks, type FenceBlock, type HeadingBlock, type ItemBlock, lineKind, maxHeadings } from './blocks.js';
import { headingNames } from './heading-names.js';
import { HtmlBlocks, type HtmlMark } from './html-blocks.js';
import {
  atxMark,
  closesFence,
  fenceMark,
  holdsOneMark,
  isItemMark,
  isLetter,
  isRule,
  itemMark,
  underlineLevel,
} from './line-marks.js';
import type { Lines } from './lines.js';

/**
 * Splits a text into the blocks of CommonMark that the rules need, in one pass
 * and linear time. Lists are followed only as far as they move fences, code and
 * headings; block quotes are text.
 */
export function scanBlocks(text: string, lines: Lines): Blocks {
  return new Scanner(text, lines).run();
}

/** As deep as markdown-it goes. What is nested deeper is text. */
const maxLists = 100;

/** How often an unclosed fence is taken back and read as text; each costs another pass over the rest. */
const maxRecoveries = 3;

/** Front matter is looked for on so many lines. */
const maxFrontMatter = 500;

const tabCode = 9;
const spaceCode = 32;

interface OpenFence {
  readonly mark: string;
  readonly length: number;
  readonly container: number;
  readonly line: number;
  readonly start: number;
  readonly info: string;
  readonly before: Snapshot;
}

interface Snapshot {
  readonly headings: number;
  readonly fences: number;
  readonly items: number;
  readonly html: HtmlMark;
  readonly lists: readonly number[];
}

/** Where a line is looked at: behind its blanks, and behind the list marks that were read. One object, for all lines. */
interface Position {
  at: number;
  column: number;
  end: number;
  /** Column where the content of the innermost list item that holds it begins. */
  base: number;
  /** The open list items that hold it. */
  matched: number;
}

class Scanner {
  readonly #text: string;
  readonly #lines: Lines;
  readonly #kinds: Uint8Array;
  readonly #html: HtmlBlocks;
  readonly #headings: HeadingBlock[] = [];
  readonly #fences: FenceBlock[] = [];
  readonly #items: ItemBlock[] = [];
  /** Columns where the content of the open list items begins, from the outside in. */
  #lists: number[] = [];
  /** Start of the open paragraph, or -1. */
  #paragraph = -1;
  /** A paragraph that an underline cannot turn into a heading. */
  #lazy = false;
  /** The open paragraph is that of a block quote. */
  #quoted = false;
  #fence: OpenFence | undefined;
  #unclosedFence: FenceBlock | undefined;
  #recoveries = 0;
  readonly #position: Position = { at: 0, column: 0, end: 0, base: 0, matched: 0 };
  #plainFenceLine = -1;
  #firstHeadingLeftOut: number | undefined;

  constructor(text: string, lines: Lines) {
    this.#text = text;
    this.#lines = lines;
    this.#kinds = new Uint8Array(lines.count);
    this.#html = new HtmlBlocks(text, lines);
  }

  run(): Blocks {
    let line = this.#frontMatter();
    for (;;) {
      this.#readFrom(line);
      const again = this.#recover();
      if (again === undefined) break;
      line = again;
    }
    this.#endParagraph(this.#lines.count);
    this.#html.end(this.#lines.count);
    return {
      headings: this.#headings,
      fences: this.#fences,
      items: this.#items,
      comments: this.#html.comments,
      runs: this.#html.runs,
      kinds: this.#kinds,
      unclosedComment: this.#html.unclosedComment,
      unclosedFence: this.#unclosedFence,
      firstHeadingLeftOut: this.#firstHeadingLeftOut,
    };
  }

  #readFrom(first: number): void {
    for (let line = first; line < this.#lines.count; line++) this.#kinds[line] = this.#line(line);
  }

  /** Takes back a fence that never ends. Returns the line to go on from, or undefined when all is read. */
  #recover(): number | undefined {
    const open = this.#fence;
    if (!open) return undefined;
    this.#fence = undefined;
    const last = this.#lines.count - 1;
    if (open.container > 0) {
      this.#closeFence(open, last, 'escaped');
      return undefined;
    }
    const unclosed = this.#closeFence(open, last, 'unclosed');
    this.#unclosedFence ??= unclosed;
    if (this.#recoveries++ >= maxRecoveries) return undefined;
    this.#restore(open.before);
    this.#plainFenceLine = open.line;
    return open.line;
  }

  /** Skips `---` ... `---` at the very start. */
  #frontMatter(): number {
    if (this.#slice(0).trimEnd() !== '---') return 0;
    for (let line = 1; line < Math.min(this.#lines.count, maxFrontMatter); line++) {
      const content = this.#slice(line).trimEnd();
      if (content === '' && line === 1) return 0;
      if (content !== '---') continue;
      this.#kinds.fill(lineKind.frontMatter, 0, line + 1);
      return line + 1;
    }
    return 0;
  }

  #line(line: number): number {
    const text = this.#text;
    const end = this.#lines.ends[line] ?? 0;
    let at = this.#lines.starts[line] ?? 0;
    if (line === 0 && text.charCodeAt(0) === 0xfeff) at++;
    let column = 0;
    for (; at < end; at++) {
      const code = text.charCodeAt(at);
      if (code === spaceCode) column++;
      else if (code === tabCode) column += 4 - (column % 4);
      else break;
    }

    if (at >= end) return this.#blankLine(line);
    if (this.#fence) {
      const kind = this.#fenceLine(this.#fence, line, at, column, end);
      if (kind !== undefined) return kind;
    }
    if (this.#html.open && this.#html.takes(line, column)) return lineKind.html;
    if (column === 0 && this.#lists.length === 0 && isLetter(text.charCodeAt(at))) {
      this.#paragraphLine(at, 0, true);
      return lineKind.text;
    }
    return this.#blockLine(line, at, column, end);
  }

  #blankLine(line: number): number {
    if (this.#fence) return lineKind.fence;
    if (this.#html.open && this.#html.takesBlank(line)) return lineKind.html;
    this.#endParagraph(line);
    return lineKind.blank;
  }

  #fenceLine(fence: OpenFence, line: number, at: number, column: number, end: number): number | undefined {
    if (column < fence.container) {
      this.#fence = undefined;
      this.#closeFence(fence, line - 1, 'escaped');
      return undefined;
    }
    const mayClose = column - fence.container < 4 && this.#text[at] === fence.mark;
    if (mayClose && closesFence(this.#text, at, end, fence.mark, fence.length)) {
      this.#fence = undefined;
      this.#closeFence(fence, line, 'closed');
    }
    return lineKind.fence;
  }

  /** A line that no open fence or HTML block takes: it goes through the list items, and begins something or goes on. */
  #blockLine(line: number, at: number, column: number, end: number): number {
    let matched = 0;
    while (matched < this.#lists.length && column >= (this.#lists[matched] ?? 0)) matched++;
    const isInside = matched === this.#lists.length;
    const base = matched > 0 ? (this.#lists[matched - 1] ?? 0) : 0;
    if (column - base >= 4) {
      if (this.#paragraph >= 0) return lineKind.text;
      this.#leaveLists(matched);
      return lineKind.code;
    }

    let isFree = !(this.#paragraph >= 0 && isInside) || this.#quoted;
    const position = this.#position;
    position.at = at;
    position.column = column;
    position.end = end;
    position.base = base;
    position.matched = matched;
    while (!isLetter(this.#text.charCodeAt(position.at))) {
      const kind = this.#leafBlock(line, position, isInside);
      if (kind !== undefined) return kind;
      const { at: from, column: mark } = position;
      const item = matched < maxLists && isItemMark(this.#text[from]) && itemMark(this.#text, from, mark, end, isFree);
      if (!item) break;
      this.#leave(line, matched);
      this.#lists.push(item.content);
      this.#items.push({ line, indent: mark, content: item.content, at: item.at });
      if (item.isEmpty) return lineKind.text;
      if (item.isCode) return lineKind.code;
      matched++;
      position.at = item.at;
      position.column = item.content;
      position.base = item.content;
      position.matched = matched;
      isFree = true;
    }
    this.#paragraphLine(position.at, matched, isInside);
    return lineKind.text;
  }

  /** The heading, fence, HTML block, quote or rule that begins here, as the kind of its line. */
  #leafBlock(line: number, position: Position, isInside: boolean): number | undefined {
    const { at, end, matched } = position;
    switch (this.#text[at]) {
      case '#':
        return this.#heading(line, position);
      case '`':
      case '~':
        return this.#beginFence(line, position);
      case '<':
        return this.#beginHtml(line, position);
      case '>':
        this.#leave(line, matched);
        this.#paragraph = at;
        this.#lazy = true;
        this.#quoted = true;
        return lineKind.quote;
    }
    return holdsOneMark(this.#text, at, end) ? this.#underlineOrRule(line, position, isInside) : undefined;
  }

  #underlineOrRule(line: number, position: Position, isInside: boolean): number | undefined {
    const { at, end, matched } = position;
    const level = this.#paragraph >= 0 && isInside && !this.#lazy ? underlineLevel(this.#text, at, end) : undefined;
    if (level) return this.#underlined(line, level, position);
    if (!isRule(this.#text, at, end)) return undefined;
    this.#leave(line, matched);
    return lineKind.text;
  }

  #heading(line: number, { at, end, column, base, matched }: Position): number | undefined {
    const mark = atxMark(this.#text, at, end);
    if (!mark) return undefined;
    this.#leave(line, matched);
    const source = this.#text.slice(mark.start, mark.end);
    return this.#addHeading({
      start: at,
      end,
      level: mark.level,
      source,
      names: headingNames(source),
      content: { start: mark.start, end: mark.end },
      line,
      lastLine: line,
      form: 'atx',
      indent: column - base,
      inList: matched > 0,
    });
  }

  /** The open paragraph turns out to be a heading. */
  #underlined(line: number, level: 1 | 2, { column, base, matched }: Position): number {
    const start = this.#paragraph;
    const first = this.#lines.at(start);
    const contentEnd = this.#lines.end(line - 1);
    const source = this.#text
      .slice(start, contentEnd)
      .split(/\r\n|\r|\n/)
      .map((part) => part.trim())
      .join(' ');
    this.#endParagraph(line);
    this.#kinds.fill(lineKind.heading, first, line);
    return this.#addHeading({
      start,
      end: this.#lines.end(line),
      level,
      source,
      names: headingNames(source),
      content: { start, end: contentEnd },
      line: first,
      lastLine: line,
      form: 'underlined',
      indent: column - base,
      inList: matched > 0,
    });
  }

  #addHeading(heading: HeadingBlock): number {
    if (this.#headings.length < maxHeadings) this.#headings.push(heading);
    else this.#firstHeadingLeftOut ??= heading.line;
    return lineKind.heading;
  }

  /** Apart from other blocks: a function that is handed on makes an object wherever it might be. */
  #beginHtml(line: number, { at, base, matched }: Position): number | undefined {
    const begins = this.#html.begin(line, at, base, this.#paragraph >= 0, () => this.#leave(line, matched));
    return begins ? lineKind.html : undefined;
  }

  #beginFence(line: number, { at, end, base, matched }: Position): number | undefined {
    const open = line === this.#plainFenceLine ? undefined : fenceMark(this.#text, at, end);
    if (!open) return undefined;
    this.#leave(line, matched);
    const { mark, length, info } = open;
    this.#fence = { mark, length, info, container: base, line, start: at, before: this.#snapshot() };
    return lineKind.fence;
  }

  #closeFence(fence: OpenFence, lastLine: number, ending: FenceBlock['ending']): FenceBlock {
    const { start, line, info } = fence;
    const block: FenceBlock = { start, end: this.#lines.end(lastLine), line, lastLine, info, ending };
    this.#fences.push(block);
    return block;
  }

  /** The line begins a paragraph or goes on with the open one. */
  #paragraphLine(at: number, matched: number, isInside: boolean): void {
    if (this.#paragraph < 0) {
      this.#leaveLists(matched);
      this.#paragraph = at;
      this.#lazy = false;
    } else if (!isInside) this.#lazy = true;
  }

  /** What does not hold the block that begins here ends before it. */
  #leave(line: number, matched: number): void {
    this.#endParagraph(line);
    this.#leaveLists(matched);
  }

  /** The list items further in than so many end. Setting a length takes longer. */
  #leaveLists(matched: number): void {
    while (this.#lists.length > matched) this.#lists.pop();
  }

  /** The open paragraph ends before `line`. */
  #endParagraph(line: number): void {
    if (this.#paragraph < 0) return;
    this.#html.addRun(this.#paragraph, this.#lines.end(line - 1));
    this.#paragraph = -1;
    this.#lazy = false;
    this.#quoted = false;
  }

  #slice(line: number): string {
    return this.#text.slice(this.#lines.start(line), this.#lines.end(line));
  }

  #snapshot(): Snapshot {
    return {
      headings: this.#headings.length,
      fences: this.#fences.length,
      items: this.#items.length,
      html: this.#html.mark(),
      lists: [...this.#lists],
    };
  }

  #restore(before: Snapshot): void {
    this.#headings.length = before.headings;
    this.#fences.length = before.fences;
    this.#items.length = before.items;
    this.#html.backTo(before.html);
    this.#lists = [...before.lists];
    this.#paragraph = -1;
  }
}
