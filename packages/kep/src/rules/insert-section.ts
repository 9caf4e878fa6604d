import { lineEndingText } from '../document/lines.js';
import type { Section } from '../document/sections.js';
import type { Edit } from '../metadata/edit.js';
import type { Assessed } from '../template/assess.js';
import type { TemplateSection } from '../template/template.js';
import type { KepFacts } from './rule.js';

/** Writes the heading of a missing section where the template has it: behind its nearest sibling before, or first in its parent. */
export function insertSection(facts: KepFacts, wanted: TemplateSection): Edit | undefined {
  const { document, assessed } = facts;
  if (!document) return undefined;
  const at = (section: TemplateSection): Assessed | undefined => assessed.find((each) => each.wanted === section);
  const sectionOf = (section: TemplateSection | undefined): Section | undefined =>
    section && at(section)?.match?.section;
  const siblings = wanted.parent?.children ?? [];
  const before = siblings
    .slice(0, siblings.indexOf(wanted))
    .reverse()
    .map(sectionOf)
    .find((found) => found?.form === 'heading');
  const parent = sectionOf(wanted.parent);
  const { lines, text } = document;

  let line: number;
  let level = wanted.section.level;
  if (before) {
    line = before.all.last + 1;
    level = before.level;
  } else if (parent && parent.form === 'heading') {
    const firstChild = parent.children[0];
    line = parent.level === 1 ? titleEnd(facts, parent) : (firstChild?.line ?? parent.all.last + 1);
    level = Math.min(6, Math.max(parent.level + 1, wanted.section.level));
  } else line = lines.count;

  const offset = line < lines.count ? lines.start(line) : text.length;
  const eol = lineEndingText(lines.ending);
  const behind = text.slice(0, offset);
  const gap =
    /(?:\r\n|\r|\n)[ \t]*(?:\r\n|\r|\n)$/.test(behind) || behind === '' ? '' : /[\r\n]$/.test(behind) ? eol : eol + eol;
  return { start: offset, end: offset, text: `${gap}${'#'.repeat(level)} ${wanted.title}${eol}${eol}` };
}

/** Behind the table of contents, if there is one; else before the first section. */
function titleEnd({ document }: KepFacts, title: Section): number {
  if (!document) return 0;
  if (document.toc) return document.lines.at(document.toc.close.end) + 1;
  return title.children[0]?.line ?? title.all.last + 1;
}
