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
  const searches = marks.map((mark) => ({ length: mark.length, next: new NextText(document.text, mark) }));
  const found: VisibleText[] = [];
  for (let at = 0; at < parts.length; at++) {
    const from = parts[at]?.start ?? 0;
    const places = searches.map(({ length, next }) => ({ length, start: next.from(from) }));
    const first = Math.min(...places.map(({ start }) => (start < 0 ? Number.POSITIVE_INFINITY : start)));
    if (first === Number.POSITIVE_INFINITY) break;
    at = partBefore(parts, first, at);
    const part = parts[at];
    const end = (part?.start ?? 0) + (part?.text.length ?? 0);
    if (part && places.some(({ length, start }) => start >= part.start && start + length <= end)) found.push(part);
  }
  return found;
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
