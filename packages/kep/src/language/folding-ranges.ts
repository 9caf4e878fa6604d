import type { KepDocument } from '../document/document.js';

/** Lines that an editor can hide behind the first of them; counted from 0. */
export interface FoldingRange {
  readonly startLine: number;
  readonly endLine: number;
  readonly kind: 'comment' | 'region';
}

/** Comments over several lines, which are mostly instructions of the template, and sections. */
export function foldingRanges({ comments, lines, sections }: KepDocument): FoldingRange[] {
  const folded = comments.map(({ start, end }) => ({
    startLine: lines.at(start),
    endLine: lines.at(end),
    kind: 'comment' as const,
  }));
  const regions = sections.map(({ line, all }) => ({ startLine: line, endLine: all.last, kind: 'region' as const }));
  return [...folded, ...regions].filter(({ startLine, endLine }) => endLine > startLine);
}
