import { lineKind } from '../document/blocks.js';
import type { KepDocument } from '../document/document.js';
import { lineEndingText } from '../document/lines.js';
import type { Section } from '../document/sections.js';
import type { TemplateSection } from './template.js';

/** Where a section that is not there belongs. */
export interface Placement {
  readonly offset: number;
  readonly level: number;
  /** Line ends to write before the heading, so that a blank line stands there. */
  readonly gap: string;
}

/**
 * The place that a template gives to a missing section: behind its nearest sibling before, else first in
 * its parent. `sectionOf` says which section of the document stands for which of the template.
 */
export function placementOf(
  document: KepDocument,
  wanted: TemplateSection,
  sectionOf: (section: TemplateSection) => Section | undefined,
): Placement {
  const siblings = wanted.parent?.children ?? [];
  let before: Section | undefined;
  for (let at = siblings.indexOf(wanted) - 1; at >= 0 && before?.form !== 'heading'; at--) {
    const sibling = siblings[at];
    before = sibling && sectionOf(sibling);
  }
  const parent = wanted.parent && sectionOf(wanted.parent);
  if (before?.form === 'heading') return at(document, before.all.last + 1, before.level);
  if (parent?.form !== 'heading') return at(document, document.lines.count, wanted.section.level);
  const line = parent.level === 1 ? behindTitle(document, parent) : (parent.children[0]?.line ?? parent.all.last + 1);
  return at(document, line, Math.min(6, Math.max(parent.level + 1, wanted.section.level)));
}

function at({ lines, text }: KepDocument, line: number, level: number): Placement {
  const offset = line < lines.count ? lines.start(line) : text.length;
  return { offset, level, gap: gapBefore(text.slice(Math.max(0, offset - 200), offset), lineEndingText(lines.ending)) };
}

/** Line ends that are missing for a blank line behind a text. */
export function gapBefore(before: string, eol: string): string {
  if (before === '' || /(?:\r\n|\r|\n)[ \t]*(?:\r\n|\r|\n)$/.test(before)) return '';
  return /[\r\n]$/.test(before) ? eol : eol + eol;
}

/** Behind the table of contents, if there is one; else before the first section. */
function behindTitle({ toc, lines, blocks }: KepDocument, title: Section): number {
  const behind = toc && lines.at(toc.close.end) + 1;
  if (behind !== undefined) return blocks.kinds[behind] === lineKind.blank ? behind + 1 : behind;
  return title.children[0]?.line ?? title.all.last + 1;
}
