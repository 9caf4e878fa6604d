import { lineEndingText } from '../document/lines.js';
import type { Edit } from '../metadata/edit.js';
import { placementOf } from '../template/placement.js';
import type { TemplateSection } from '../template/template.js';
import type { KepFacts } from './rule.js';

/** Writes the heading of a missing section, and `body` below it, where the template has it. */
export function insertSection({ document, assessed }: KepFacts, wanted: TemplateSection, body = ''): Edit | undefined {
  if (!document) return undefined;
  const sectionOf = (part: TemplateSection) => assessed.find((each) => each.wanted === part)?.match?.section;
  const { offset, level, gap } = placementOf(document, wanted, sectionOf);
  const eol = lineEndingText(document.lines.ending);
  const below = body === '' ? '' : `${body}\n\n`.replaceAll('\n', eol);
  return { start: offset, end: offset, text: `${gap}${'#'.repeat(level)} ${wanted.title}${eol}${eol}${below}` };
}
