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

/** The prose of a document line by line: no comments, no code blocks, no front matter; headings included. */
export const visibleText = rememberingLast((document: KepDocument): readonly VisibleText[] => {
  const found: VisibleText[] = [];
  const { text, lines, comments, blocks } = document;
  let next = 0;
  for (let line = 0; line < lines.count; line++) {
    const kind = blocks.kinds[line];
    const end = lines.end(line);
    let from = lines.start(line);
    while (next < comments.length && (comments[next]?.start ?? 0) < end) {
      const comment = comments[next];
      if (!comment) break;
      if (comment.start > from) found.push({ line, start: from, text: text.slice(from, comment.start) });
      from = Math.max(from, comment.end);
      if (comment.end > end) break;
      next++;
    }
    if (kind === lineKind.fence || kind === lineKind.code || kind === lineKind.frontMatter) continue;
    if (from < end) found.push({ line, start: from, text: text.slice(from, end) });
  }
  return found;
});

/** The stretches of prose that hold one of these marks, which few do. */
export function proseWith(document: KepDocument, marks: readonly string[]): readonly VisibleText[] {
  const parts = visibleText(document);
  const searches = marks.map((mark) => new NextText(document.text, mark));
  const found: VisibleText[] = [];
  for (let at = 0; at < parts.length; at++) {
    const next = nextOf(searches, parts[at]?.start ?? 0);
    if (next === Number.POSITIVE_INFINITY) break;
    at = partBefore(parts, next, at);
    const part = parts[at];
    if (part && marks.some((mark, each) => holds(part, searches[each]?.from(part.start) ?? -1, mark))) found.push(part);
  }
  return found;
}

/** The first place at or behind `from` that one of the searches finds; infinity when none does. */
function nextOf(searches: readonly NextText[], from: number): number {
  let first = Number.POSITIVE_INFINITY;
  for (const search of searches) {
    const place = search.from(from);
    if (place >= 0 && place < first) first = place;
  }
  return first;
}

function holds({ start, text }: VisibleText, at: number, mark: string): boolean {
  return at >= start && at + mark.length <= start + text.length;
}

/** Index of the last part, from `first` on, that begins at or before an offset; `first` when none does. */
function partBefore(parts: readonly VisibleText[], offset: number, first: number): number {
  let low = first;
  let high = parts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((parts[middle]?.start ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** A line with its code spans blanked out, so that places stay. */
export function withoutCode(text: string): string {
  return text.includes('`') ? text.replace(/(`+)[^`]+\1/g, (code) => ' '.repeat(code.length)) : text;
}

/** The prose of a section and of all below it. */
export function textOfSection(document: KepDocument, section: Section): string {
  const parts = visibleText(document);
  const first = section.form === 'question' ? section.own.first : section.line + 1;
  const found: string[] = [];
  for (let at = lowerBound(parts, first); at < parts.length; at++) {
    const part = parts[at];
    if (!part || part.line > section.all.last) break;
    const cut = section.form === 'question' && part.line === first ? Math.max(0, section.textStart - part.start) : 0;
    found.push(part.text.slice(cut));
  }
  return found.join('\n').trim();
}

function lowerBound(parts: readonly VisibleText[], line: number): number {
  let low = 0;
  let high = parts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((parts[middle]?.line ?? 0) < line) low = middle + 1;
    else high = middle;
  }
  return low;
}
