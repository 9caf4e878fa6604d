import type { KepDocument } from '../document/document.js';
import type { Section } from '../document/sections.js';
import { rangeOf, type TextRange } from './text-range.js';

/** A heading in the outline of an editor. */
export interface DocumentSymbol {
  readonly name: string;
  readonly range: TextRange;
  readonly selectionRange: TextRange;
  readonly children: readonly DocumentSymbol[];
}

/** The outline of a README. */
export function documentSymbols(document: KepDocument): DocumentSymbol[] {
  const symbolOf = (section: Section): DocumentSymbol => ({
    // Editors refuse an outline with an entry without a name.
    name: section.title || '(no title)',
    range: rangeOf(document.lines, { start: section.span.start, end: endOf(document, section) }),
    selectionRange: rangeOf(document.lines, section.span),
    children: section.children.map(symbolOf),
  });
  return document.sections.filter(({ parent }) => parent === undefined).map(symbolOf);
}

function endOf({ lines }: KepDocument, { all, span }: Section): number {
  return Math.max(span.end, lines.end(all.last));
}
