import { lineKind } from '../document/blocks.js';
import type { KepDocument } from '../document/document.js';
import { NextText } from '../document/next-text.js';
import { rememberingLast } from '../document/remember.js';
import type { Section } from '../document/sections.js';

/** A stretch of prose on one line. */
export interface VisibleText {
  readonly line: number;
  readonly start: number;
  readonly text: string;
}

/** Adds the prose of a line to `found`, if `matters` is true of it. */
type ReadLine = (line: number, found: VisibleText[]) => void;

/** Makes a reader of lines, which must be read in growing order. */
function proseReader(
  { text, lines, comments, blocks }: KepDocument,
  matters: (text: string) => boolean = () => true,
): ReadLine {
  let next = 0;
  const add = (line: number, start: number, end: number, found: VisibleText[]) => {
    const part = text.slice(start, end);
    if (matters(part)) found.push({ line, start, text: part });
  };
  return (line, found) => {
    const kind = blocks.kinds[line];
    if (kind === lineKind.fence || kind === lineKind.code || kind === lineKind.frontMatter) return;
    const end = lines.end(line);
    let from = lines.start(line);
    for (let comment = comments[next]; comment && comment.start < end; comment = comments[next]) {
      if (comment.start > from) add(line, from, comment.start, found);
      from = Math.max(from, comment.end);
      if (comment.end > end) break;
      next++;
    }
    if (from < end) add(line, from, end, found);
  };
}

/** The prose of a document line by line: no comments, no code blocks, no front matter; headings included. */
export const visibleText = rememberingLast((document: KepDocument): readonly VisibleText[] =>
  visibleIn(document, 0, document.lines.count - 1),
);

/** The prose of the lines from `first` to `last`. */
export function visibleIn(document: KepDocument, first: number, last: number): readonly VisibleText[] {
  const read = proseReader(document);
  const found: VisibleText[] = [];
  for (let line = first; line <= last; line++) read(line, found);
  return found;
}

/** The prose of a line and of those behind it, read as far as it is asked for. */
export function* visibleFrom(document: KepDocument, first: number): Generator<VisibleText> {
  const read = proseReader(document);
  for (let line = first; line < document.lines.count; line++) {
    const parts: VisibleText[] = [];
    read(line, parts);
    yield* parts;
  }
}

/**
 * The stretches of prose that hold one of these marks, which few do. No mark goes over lines.
 * @param matters whether a mark at an offset counts
 */
export function proseWith(
  document: KepDocument,
  marks: readonly string[],
  matters: (at: number) => boolean = () => true,
): readonly VisibleText[] {
  const { lines } = document;
  const searches: NextText[] = [];
  for (const mark of marks) searches.push(new NextText(document.text, mark));
  // The mark may be in a comment on its line.
  const read = proseReader(document, (text) => marks.some((mark) => text.includes(mark)));
  const found: VisibleText[] = [];
  for (let at = nextOf(searches, 0); at < Number.POSITIVE_INFINITY; ) {
    if (!matters(at)) {
      at = nextOf(searches, at + 1);
      continue;
    }
    const line = lines.at(at);
    read(line, found);
    at = nextOf(searches, lines.start(line + 1));
  }
  return found;
}

/** The first place at or behind `from` that one of the searches finds; infinity when none does. */
function nextOf(searches: readonly NextText[], from: number): number {
  let first = Number.POSITIVE_INFINITY;
  // An iterator makes an object for each of them.
  for (let each = 0; each < searches.length; each++) {
    const place = searches[each]?.from(from) ?? -1;
    if (place >= 0 && place < first) first = place;
  }
  return first;
}

/** A line with its code spans blanked out, so that places stay. */
export function withoutCode(text: string): string {
  return text.includes('`') ? text.replace(/(`+)[^`]+\1/g, (code) => ' '.repeat(code.length)) : text;
}

/** The prose of a section and of all below it. */
export function textOfSection(document: KepDocument, section: Section): string {
  const isQuestion = section.form === 'question';
  const first = isQuestion ? section.own.first : section.line + 1;
  const found = visibleIn(document, first, section.all.last).map(({ line, start, text }) =>
    isQuestion && line === first ? text.slice(Math.max(0, section.textStart - start)) : text,
  );
  return found.join('\n').trim();
}
