import type { Blocks, HeadingBlock } from './blocks.js';
import { lineKind } from './blocks.js';
import { headingText } from './heading-text.js';
import type { Lines, Span } from './lines.js';
import { normalizeTitle } from './normalize-title.js';

/** First and last line, counted from 0; empty when last is before first. */
export interface LineRange {
  readonly first: number;
  readonly last: number;
}

/** A heading with what stands below it, or a question asked as a bold list item. */
export interface Section {
  /** Normalised titles from the top, joined with `/`; `~2` marks the second of the same name. */
  readonly key: string;
  readonly title: string;
  readonly norm: string;
  /** 1 to 6; a bold question is one deeper than the heading above it, but at least 6. */
  readonly level: number;
  readonly form: 'heading' | 'question';
  /** The heading without its line ending. */
  readonly span: Span;
  readonly line: number;
  readonly heading: HeadingBlock | undefined;
  /** The lines between this heading and the next; for questions the rest of the item. */
  readonly own: LineRange;
  /** `own` with everything below. */
  readonly all: LineRange;
  /** Where the text of a question begins on its first line, behind the bold title. */
  readonly textStart: number;
  readonly parent: Section | undefined;
  readonly children: readonly Section[];
}

/** A heading or question before it is known what stands below it. */
type Start = Omit<Section, 'own' | 'all' | 'key' | 'parent' | 'children'>;

class Node implements Section {
  readonly title: string;
  readonly norm: string;
  readonly level: number;
  readonly form: Section['form'];
  readonly span: Span;
  readonly line: number;
  readonly heading: HeadingBlock | undefined;
  readonly textStart: number;
  readonly parent: Node | undefined;
  readonly children: Node[] = [];
  readonly own: LineRange;
  all: LineRange;
  /** Which of the children of its parent with this title it is. */
  readonly #nth: number;
  #names: Map<string, number> | undefined;

  constructor(start: Start, own: LineRange, parent: Node | undefined, nth: number) {
    this.title = start.title;
    this.norm = start.norm;
    this.level = start.level;
    this.form = start.form;
    this.span = start.span;
    this.line = start.line;
    this.heading = start.heading;
    this.textStart = start.textStart;
    this.own = own;
    this.all = own;
    this.parent = parent;
    this.#nth = nth;
  }

  get key(): string {
    const name = this.#nth > 1 ? `${this.norm}~${this.#nth}` : this.norm;
    return this.parent ? `${this.parent.key}/${name}` : name;
  }

  /** How many children with a title there are, the next one counted. */
  count(title: string): number {
    this.#names ??= new Map();
    return countUp(this.#names, title);
  }
}

function countUp(counts: Map<string, number>, name: string): number {
  const count = (counts.get(name) ?? 0) + 1;
  counts.set(name, count);
  return count;
}

/** The sections of a document in order of appearance; nested through `parent` and `children`. */
export function readSections(text: string, lines: Lines, blocks: Blocks): Section[] {
  const starts: Start[] = [];
  for (const heading of blocks.headings) {
    const { title, norm } = heading.names;
    starts.push({
      title,
      norm,
      level: heading.level,
      form: 'heading',
      span: { start: heading.start, end: heading.end },
      line: heading.line,
      heading,
      textStart: lines.start(heading.lastLine + 1),
    });
  }
  const questions = boldQuestions(text, lines, blocks);
  for (const question of questions) starts.push(question);
  if (questions.length > 0) starts.sort((one, other) => one.line - other.line);

  const sections: Node[] = [];
  const open: Node[] = [];
  const topNames = new Map<string, number>();
  for (let at = 0; at < starts.length; at++) {
    const start = starts[at];
    if (!start) break;
    const first = start.form === 'heading' ? (start.heading?.lastLine ?? start.line) + 1 : lines.at(start.textStart);
    let parent = open[open.length - 1];
    while (parent && parent.level >= start.level) {
      open.pop();
      parent = open[open.length - 1];
    }
    const nth = parent ? parent.count(start.norm) : countUp(topNames, start.norm);
    const section = new Node(start, { first, last: (starts[at + 1]?.line ?? lines.count) - 1 }, parent, nth);
    parent?.children.push(section);
    open.push(section);
    sections.push(section);
  }
  endSections(sections, lines.count);
  return sections;
}

/** A section ends where the next of its level or above begins. */
function endSections(sections: readonly Node[], lineCount: number): void {
  const nextAt: number[] = new Array(8).fill(lineCount);
  for (let at = sections.length - 1; at >= 0; at--) {
    const section = sections[at];
    if (!section) continue;
    let end = lineCount;
    for (let level = 1; level <= section.level; level++) end = Math.min(end, nextAt[level] ?? lineCount);
    if (end - 1 !== section.own.last) section.all = { first: section.own.first, last: end - 1 };
    nextAt[section.level] = section.line;
  }
}

const maxTitleLines = 3;
const lineFeed = 10;

/** Templates up to 1.20 asked their questions as `* **Question?** answer`; the bold text may wrap. */
function boldQuestions(text: string, lines: Lines, blocks: Blocks) {
  const found = [];
  const starts: { readonly line: number; readonly at: number }[] = [];
  const { items } = blocks;
  for (let each = 0; each < items.length; each++) {
    const item = items[each];
    if (item && text.startsWith('**', item.at)) starts.push({ line: item.line, at: item.at });
  }
  for (let at = text.indexOf('**', 1); at >= 0; at = text.indexOf('**', at + 1)) {
    if (text.charCodeAt(at - 1) !== lineFeed) continue;
    const line = lines.at(at);
    if (blocks.kinds[line] === lineKind.text) starts.push({ line, at });
  }
  starts.sort((one, other) => one.at - other.at);
  for (const { line, at } of starts) {
    const limit = lines.end(Math.min(line + maxTitleLines - 1, lines.count - 1));
    const window = text.slice(at + 2, Math.min(limit, at + 600));
    const bold = /^([^*]{3,400}?\?)\s*\*\*(?!\*)/.exec(window) ?? /^([^*]{3,400}?)\*\*\s{0,3}\?/.exec(window);
    if (!bold?.[1] || /\n\s*\n/.test(bold[1])) continue;
    const title = headingText(bold[1].replace(/\s+/g, ' ')).trim();
    const textStart = at + 2 + bold[0].length;
    found.push({
      title,
      norm: normalizeTitle(title),
      level: 7,
      form: 'question' as const,
      span: { start: at, end: textStart },
      line,
      heading: undefined,
      textStart,
    });
  }
  return found;
}
