import type { CommentBlock } from './blocks.js';
import { closesTolerantly } from './directive.js';
import { type HtmlStart, htmlStart } from './html-block.js';
import type { Lines, Span } from './lines.js';
import { NextText } from './next-text.js';

interface OpenHtml extends HtmlStart {
  readonly container: number;
  readonly start: number;
  /** Where the end mark of a comment stands; -1 for other blocks. */
  readonly close: number;
}

/** How far the reader has come, to go back to. */
export interface HtmlMark {
  readonly comments: number;
  readonly runs: number;
}

/**
 * Follows HTML blocks and comments while a scanner goes through the lines, and keeps the stretches of
 * text in which comments may hide. Offsets only grow, so every stretch is searched once.
 */
export class HtmlBlocks {
  readonly comments: CommentBlock[] = [];
  /** Stretches of inline text and HTML that hold `<!--`. */
  readonly runs: Span[] = [];
  readonly #text: string;
  readonly #lines: Lines;
  readonly #nextOpen: NextText;
  readonly #nextClose: NextText;
  /** The block that goes on, until its end mark or a blank line. */
  open: OpenHtml | undefined;
  #unclosedComment: number | undefined;

  constructor(text: string, lines: Lines) {
    this.#text = text;
    this.#lines = lines;
    this.#nextOpen = new NextText(text, '<!--');
    this.#nextClose = new NextText(text, '-->');
  }

  /** Start of a comment that never ends; it is read as text. */
  get unclosedComment(): number | undefined {
    return this.#unclosedComment;
  }

  /** Whether a line with text belongs to the open block. A block of an item that ended, ends before the line. */
  takes(line: number, column: number): boolean {
    if (!this.open) return false;
    if (column < this.open.container) {
      this.end(line);
      return false;
    }
    const { close, endMark } = this.open;
    if (close >= 0) {
      if (close < this.#lines.end(line)) this.end(line + 1);
    } else if (endMark && this.#lineHolds(endMark, line)) this.end(line + 1);
    return true;
  }

  /** Whether a blank line belongs to the open block. */
  takesBlank(line: number): boolean {
    if (!this.open) return false;
    if (this.open.endMark) return true;
    this.end(line);
    return false;
  }

  /** Opens the block that begins at a `<`, if one does. `leave` ends what is open before. */
  begin(line: number, at: number, container: number, paragraphOpen: boolean, leave: () => void): boolean {
    const end = this.#lines.end(line);
    if (this.#text.startsWith('<!--', at)) return this.#beginComment(line, at, container, leave);
    const start = htmlStart(this.#text.slice(at, Math.min(end, at + 2_000)));
    if (!start || (start.kind === 7 && paragraphOpen)) return false;
    leave();
    const { kind, endMark } = start;
    this.open = { kind, endMark, container, start: at, close: -1 };
    if (start.endMark && this.#lineHolds(start.endMark, line)) this.end(line + 1);
    return true;
  }

  #beginComment(line: number, at: number, container: number, leave: () => void): boolean {
    const end = this.#lines.end(line);
    const tolerant = closesTolerantly(this.#text, at, end);
    if (tolerant !== undefined) {
      leave();
      this.comments.push({ start: at, end: tolerant, inline: false, malformed: true });
      return true;
    }
    const close = this.#nextClose.from(at + 2);
    if (close < 0) {
      this.#unclosedComment ??= at;
      return false;
    }
    leave();
    this.open = { kind: 2, endMark: '-->', container, start: at, close };
    if (close < end) this.end(line + 1);
    return true;
  }

  /** The open block ends before `line`. */
  end(line: number): void {
    const html = this.open;
    if (!html) return;
    this.open = undefined;
    const end = this.#lines.end(line - 1);
    if (html.close < 0) {
      this.addRun(html.start, end);
      return;
    }
    const commentEnd = Math.min(html.close + 3, Math.max(end, html.start));
    this.comments.push({ start: html.start, end: commentEnd, inline: false, malformed: false });
    if (commentEnd < end) this.addRun(commentEnd, end);
  }

  /** Keeps a stretch of inline text, if a comment may be in it. */
  addRun(start: number, end: number): void {
    const open = this.#nextOpen.from(start);
    if (open >= 0 && open < end) this.runs.push({ start, end });
  }

  mark(): HtmlMark {
    return { comments: this.comments.length, runs: this.runs.length };
  }

  backTo({ comments, runs }: HtmlMark): void {
    this.comments.length = comments;
    this.runs.length = runs;
    this.open = undefined;
  }

  #lineHolds(mark: string, line: number): boolean {
    const start = Math.max(this.#lines.start(line), this.open?.start ?? 0);
    const end = this.#lines.end(line);
    return this.#text.slice(start, end).toLowerCase().includes(mark);
  }
}
