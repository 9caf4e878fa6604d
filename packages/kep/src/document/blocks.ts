import { closesTolerantly } from './directive.js';
import { type HtmlStart, htmlStart } from './html-block.js';
import type { Lines, Span } from './lines.js';
import { NextText } from './next-text.js';

/** What a line belongs to. */
export const lineKind = {
  blank: 0,
  text: 1,
  heading: 2,
  fence: 3,
  html: 4,
  code: 5,
  frontMatter: 6,
  quote: 7,
} as const;

/** A heading as it stands in the text. */
export interface HeadingBlock extends Span {
  readonly level: 1 | 2 | 3 | 4 | 5 | 6;
  /** What is between the marks, with its inline Markdown. */
  readonly source: string;
  readonly content: Span;
  readonly line: number;
  /** Last line of the heading; differs from `line` for underlined ones. */
  readonly lastLine: number;
  readonly form: 'atx' | 'underlined';
  /** Blanks before the mark. */
  readonly indent: number;
  readonly inList: boolean;
}

export interface FenceBlock extends Span {
  readonly line: number;
  readonly lastLine: number;
  readonly info: string;
  /** `escaped`: its list item ended before the fence did, so what follows became code or text by accident. */
  readonly ending: 'closed' | 'escaped' | 'unclosed';
}

/** A list item: where its mark and its content stand. */
export interface ItemBlock {
  readonly line: number;
  readonly indent: number;
  readonly content: number;
  readonly at: number;
}

/** An HTML comment. `malformed`: a directive that ends with something else than `-->`. */
export interface CommentBlock extends Span {
  readonly inline: boolean;
  readonly malformed: boolean;
}

export interface Blocks {
  readonly headings: readonly HeadingBlock[];
  readonly fences: readonly FenceBlock[];
  readonly items: readonly ItemBlock[];
  /** Comments that stand as blocks; inline ones are found in `runs`. */
  readonly comments: readonly CommentBlock[];
  /** Stretches of inline text and HTML that hold `<!--`. */
  readonly runs: readonly Span[];
  readonly kinds: Uint8Array;
  /** Start of a comment that never ends; it was read as text. */
  readonly unclosedComment: number | undefined;
  readonly unclosedFence: FenceBlock | undefined;
}

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

const hashCode = 35;
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

interface OpenHtml extends HtmlStart {
  readonly container: number;
  readonly start: number;
}

interface Snapshot {
  readonly headings: number;
  readonly fences: number;
  readonly items: number;
  readonly comments: number;
  readonly runs: number;
  readonly lists: readonly number[];
}

class Scanner {
  readonly #text: string;
  readonly #lines: Lines;
  readonly #kinds: Uint8Array;
  readonly #nextOpen: NextText;
  readonly #nextClose: NextText;
  readonly #headings: HeadingBlock[] = [];
  readonly #fences: FenceBlock[] = [];
  readonly #items: ItemBlock[] = [];
  readonly #comments: CommentBlock[] = [];
  readonly #runs: Span[] = [];
  /** Columns where the content of the open list items begins, from the outside in. */
  #lists: number[] = [];
  /** Start of the open paragraph, or -1. */
  #paragraph = -1;
  /** A paragraph that an underline cannot turn into a heading. */
  #lazy = false;
  /** The open paragraph is that of a block quote. */
  #quoted = false;
  #fence: OpenFence | undefined;
  #html: OpenHtml | undefined;
  #unclosedComment: number | undefined;
  #unclosedFence: FenceBlock | undefined;
  #recoveries = 0;
  #plainFenceLine = -1;

  constructor(text: string, lines: Lines) {
    this.#text = text;
    this.#lines = lines;
    this.#kinds = new Uint8Array(lines.count);
    this.#nextOpen = new NextText(text, '<!--');
    this.#nextClose = new NextText(text, '-->');
  }

  run(): Blocks {
    let line = this.#frontMatter();
    for (;;) {
      for (; line < this.#lines.count; line++) this.#kinds[line] = this.#line(line);
      const open = this.#fence;
      if (!open) break;
      this.#fence = undefined;
      if (open.container > 0) {
        this.#closeFence(open, this.#lines.count - 1, 'escaped');
        break;
      }
      const unclosed = this.#closeFence(open, this.#lines.count - 1, 'unclosed');
      this.#unclosedFence ??= unclosed;
      if (this.#recoveries++ >= maxRecoveries) break;
      this.#restore(open.before);
      this.#plainFenceLine = open.line;
      line = open.line;
    }
    this.#endParagraph(this.#lines.count);
    this.#endHtml(this.#lines.count);
    return {
      headings: this.#headings,
      fences: this.#fences,
      items: this.#items,
      comments: this.#comments,
      runs: this.#runs,
      kinds: this.#kinds,
      unclosedComment: this.#unclosedComment,
      unclosedFence: this.#unclosedFence,
    };
  }

  /** Skips `---` ... `---` at the very start. */
  #frontMatter(): number {
    if (this.#slice(0).trimEnd() !== '---') return 0;
    for (let line = 1; line < Math.min(this.#lines.count, 500); line++) {
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
    const start = this.#lines.start(line);
    const end = this.#lines.end(line);
    let at = start;
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
    if (this.#html) {
      if (column >= this.#html.container) {
        if (this.#html.endMark && this.#lineHolds(this.#html.endMark, start, end)) this.#endHtml(line + 1);
        return lineKind.html;
      }
      this.#endHtml(line);
    }
    return this.#blockLine(line, at, column, end);
  }

  #blankLine(line: number): number {
    if (this.#fence) return lineKind.fence;
    if (this.#html) {
      if (this.#html.endMark) return lineKind.html;
      this.#endHtml(line);
    }
    this.#endParagraph(line);
    return lineKind.blank;
  }

  #fenceLine(fence: OpenFence, line: number, at: number, column: number, end: number): number | undefined {
    if (column < fence.container) {
      this.#fence = undefined;
      this.#closeFence(fence, line - 1, 'escaped');
      return undefined;
    }
    if (column - fence.container < 4 && this.#text[at] === fence.mark) {
      let behind = at;
      while (this.#text[behind] === fence.mark) behind++;
      if (behind - at >= fence.length && this.#text.slice(behind, end).trim() === '') {
        this.#fence = undefined;
        this.#closeFence(fence, line, 'closed');
      }
    }
    return lineKind.fence;
  }

  #blockLine(line: number, first: number, firstColumn: number, end: number): number {
    let at = first;
    let column = firstColumn;
    let matched = 0;
    while (matched < this.#lists.length && column >= (this.#lists[matched] ?? 0)) matched++;
    const isInside = matched === this.#lists.length;
    let base = matched > 0 ? (this.#lists[matched - 1] ?? 0) : 0;
    const hasParagraph = this.#paragraph >= 0;

    if (column - base >= 4) {
      if (hasParagraph) return lineKind.text;
      this.#lists.length = matched;
      return lineKind.code;
    }
    let isFree = !(hasParagraph && isInside) || this.#quoted;
    let paragraphOpen = hasParagraph;
    const leave = () => {
      this.#endParagraph(line);
      this.#lists.length = Math.min(this.#lists.length, matched);
      paragraphOpen = false;
    };

    for (;;) {
      const char = this.#text[at] ?? '';
      if (char === '#') {
        const heading = this.#atxHeading(line, at, end, column - base, matched > 0);
        if (heading) {
          leave();
          this.#headings.push(heading);
          return lineKind.heading;
        }
      } else if (char === '`' || char === '~') {
        const fence = line === this.#plainFenceLine ? undefined : this.#fenceStart(char, line, at, end, base);
        if (fence) {
          leave();
          this.#fence = { ...fence, before: this.#snapshot() };
          return lineKind.fence;
        }
      } else if (char === '<') {
        const started = this.#htmlLine(line, at, end, base, paragraphOpen, leave);
        if (started) return lineKind.html;
      } else if (char === '>') {
        leave();
        this.#paragraph = at;
        this.#lazy = true;
        this.#quoted = true;
        return lineKind.quote;
      } else if (char === '=' || char === '-' || char === '*' || char === '_' || char === '+' || isDigit(char)) {
        if (paragraphOpen && isInside && !this.#lazy && (char === '=' || char === '-')) {
          const level = isUnderline(this.#text, at, end, char) ? (char === '=' ? 1 : 2) : undefined;
          if (level) return this.#underlined(line, level, column - base, matched > 0);
        }
        if (char !== '=' && char !== '+' && isRule(this.#text, at, end, char)) {
          leave();
          return lineKind.text;
        }
        const item = char === '=' || char === '_' ? undefined : this.#itemStart(at, column, end, isFree);
        if (item && matched < maxLists) {
          leave();
          this.#lists.push(item.content);
          this.#items.push({ line, indent: column, content: item.content, at: item.at });
          if (item.isEmpty) return lineKind.text;
          if (item.isCode) return lineKind.code;
          at = item.at;
          column = item.content;
          base = item.content;
          matched++;
          isFree = true;
          continue;
        }
      }
      break;
    }
    if (!paragraphOpen) {
      this.#lists.length = Math.min(this.#lists.length, matched);
      this.#paragraph = at;
      this.#lazy = false;
    } else if (!isInside) this.#lazy = true;
    return lineKind.text;
  }

  #atxHeading(line: number, at: number, end: number, indent: number, inList: boolean): HeadingBlock | undefined {
    const text = this.#text;
    let behind = at;
    while (text.charCodeAt(behind) === hashCode && behind - at < 7) behind++;
    const level = behind - at;
    const next = text.charCodeAt(behind);
    if (level > 6 || (behind < end && next !== spaceCode && next !== tabCode)) return undefined;
    let from = behind;
    while (from < end && isBlank(text.charCodeAt(from))) from++;
    let to = end;
    while (to > from && isBlank(text.charCodeAt(to - 1))) to--;
    let marks = to;
    while (marks > from && text.charCodeAt(marks - 1) === hashCode) marks--;
    if (marks === from || isBlank(text.charCodeAt(marks - 1))) to = marks;
    while (to > from && isBlank(text.charCodeAt(to - 1))) to--;
    return {
      start: at,
      end,
      level: level as HeadingBlock['level'],
      source: text.slice(from, to),
      content: { start: from, end: to },
      line,
      lastLine: line,
      form: 'atx',
      indent,
      inList,
    };
  }

  /** The open paragraph turns out to be a heading. */
  #underlined(line: number, level: 1 | 2, indent: number, inList: boolean): number {
    const start = this.#paragraph;
    const first = this.#lines.at(start);
    const contentEnd = this.#lines.end(line - 1);
    const source = this.#text
      .slice(start, contentEnd)
      .split(/\r\n|\r|\n/)
      .map((part) => part.trim())
      .join(' ');
    this.#endParagraph(line);
    const end = this.#lines.end(line);
    const content = { start, end: contentEnd };
    this.#headings.push({
      start,
      end,
      level,
      source,
      content,
      line: first,
      lastLine: line,
      form: 'underlined',
      indent,
      inList,
    });
    this.#kinds.fill(lineKind.heading, first, line);
    return lineKind.heading;
  }

  #fenceStart(mark: string, line: number, at: number, end: number, container: number) {
    let behind = at;
    while (this.#text[behind] === mark) behind++;
    const length = behind - at;
    if (length < 3) return undefined;
    const info = this.#text.slice(behind, end).trim();
    if (mark === '`' && info.includes('`')) return undefined;
    return { mark, length, container, line, start: at, info };
  }

  #closeFence(fence: OpenFence, lastLine: number, ending: FenceBlock['ending']): FenceBlock {
    const block: FenceBlock = {
      start: fence.start,
      end: this.#lines.end(lastLine),
      line: fence.line,
      lastLine,
      info: fence.info,
      ending,
    };
    this.#fences.push(block);
    return block;
  }

  #htmlLine(
    line: number,
    at: number,
    end: number,
    container: number,
    paragraphOpen: boolean,
    leave: () => void,
  ): boolean {
    const text = this.#text;
    if (text.startsWith('<!--', at)) return this.#commentLine(line, at, end, container, leave);
    const start = htmlStart(text.slice(at, Math.min(end, at + 2_000)));
    if (!start || (start.kind === 7 && paragraphOpen)) return false;
    leave();
    this.#html = { ...start, container, start: at };
    if (start.endMark && this.#lineHolds(start.endMark, at, end)) this.#endHtml(line + 1);
    return true;
  }

  #commentLine(line: number, at: number, end: number, container: number, leave: () => void): boolean {
    const tolerant = closesTolerantly(this.#text, at, end);
    if (tolerant !== undefined) {
      leave();
      this.#comments.push({ start: at, end: tolerant, inline: false, malformed: true });
      return true;
    }
    const close = this.#nextClose.from(at + 2);
    if (close < 0) {
      this.#unclosedComment ??= at;
      return false;
    }
    leave();
    this.#html = { kind: 2, endMark: '-->', container, start: at };
    if (close < end) this.#endHtml(line + 1);
    return true;
  }

  /** The open HTML block ends before `line`. */
  #endHtml(line: number): void {
    const html = this.#html;
    if (!html) return;
    this.#html = undefined;
    const end = this.#lines.end(line - 1);
    if (html.kind === 2) {
      const close = this.#nextClose.from(html.start + 2);
      const commentEnd = close < 0 ? end : Math.min(close + 3, Math.max(end, html.start));
      this.#comments.push({ start: html.start, end: commentEnd, inline: false, malformed: false });
      if (commentEnd < end) this.#addRun(commentEnd, end);
    } else this.#addRun(html.start, end);
  }

  /** The open paragraph ends before `line`. */
  #endParagraph(line: number): void {
    if (this.#paragraph < 0) return;
    this.#addRun(this.#paragraph, this.#lines.end(line - 1));
    this.#paragraph = -1;
    this.#lazy = false;
    this.#quoted = false;
  }

  #addRun(start: number, end: number): void {
    const open = this.#nextOpen.from(start);
    if (open >= 0 && open < end) this.#runs.push({ start, end });
  }

  /** `isFree`: no paragraph of the same container is open, which not every list item may interrupt. */
  #itemStart(at: number, column: number, end: number, isFree: boolean) {
    const text = this.#text;
    let behind = at;
    if (isDigit(text[at] ?? '')) {
      while (isDigit(text[behind] ?? '') && behind - at < 10) behind++;
      const mark = text[behind];
      if (behind - at > 9 || (mark !== '.' && mark !== ')')) return undefined;
      if (!isFree && text.slice(at, behind) !== '1') return undefined;
    }
    behind++;
    let content = column + behind - at;
    const markEnd = content;
    let blanks = behind;
    for (; blanks < end && isBlank(text.charCodeAt(blanks)); blanks++) {
      content += text.charCodeAt(blanks) === tabCode ? 4 - (content % 4) : 1;
    }
    if (blanks >= end) return isFree ? { content: markEnd + 1, at: end, isEmpty: true, isCode: false } : undefined;
    if (blanks === behind) return undefined;
    if (content - markEnd > 4) return { content: markEnd + 1, at: blanks, isEmpty: false, isCode: true };
    return { content, at: blanks, isEmpty: false, isCode: false };
  }

  #lineHolds(mark: string, start: number, end: number): boolean {
    if (mark === '-->') {
      const close = this.#nextClose.from(start);
      return close >= 0 && close < end;
    }
    return this.#text.slice(start, end).toLowerCase().includes(mark);
  }

  #slice(line: number): string {
    return this.#text.slice(this.#lines.start(line), this.#lines.end(line));
  }

  #snapshot(): Snapshot {
    return {
      headings: this.#headings.length,
      fences: this.#fences.length,
      items: this.#items.length,
      comments: this.#comments.length,
      runs: this.#runs.length,
      lists: [...this.#lists],
    };
  }

  #restore(before: Snapshot): void {
    this.#headings.length = before.headings;
    this.#fences.length = before.fences;
    this.#items.length = before.items;
    this.#comments.length = before.comments;
    this.#runs.length = before.runs;
    this.#lists = [...before.lists];
    this.#paragraph = -1;
    this.#html = undefined;
  }
}

function isBlank(code: number): boolean {
  return code === spaceCode || code === tabCode;
}

function isDigit(char: string): boolean {
  return char >= '0' && char <= '9' && char.length === 1;
}

function isUnderline(text: string, at: number, end: number, mark: string): boolean {
  let behind = at;
  while (behind < end && text[behind] === mark) behind++;
  while (behind < end && isBlank(text.charCodeAt(behind))) behind++;
  return behind === end;
}

/** `***`, `- - -` and the like. */
function isRule(text: string, at: number, end: number, mark: string): boolean {
  let marks = 0;
  for (let each = at; each < end; each++) {
    if (text[each] === mark) marks++;
    else if (!isBlank(text.charCodeAt(each))) return false;
  }
  return marks >= 3;
}
