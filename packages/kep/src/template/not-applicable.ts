import { lineKind } from '../document/blocks.js';
import type { KepDocument } from '../document/document.js';
import type { Section } from '../document/sections.js';
import type { Match } from './match.js';
import type { TemplateSection } from './template.js';

const form =
  /^[\s>*_`-]*(?:n\/?a\b|not applicable\b|(?:this section|this questionnaire) (?:is not applicable|does ?n['o]t apply))/i;

/** Whether the author wrote, below the heading that holds a section of the template, that none of this applies. */
export function isInapplicable(
  document: KepDocument,
  wanted: TemplateSection,
  matches: ReadonlyMap<TemplateSection, Match>,
): boolean {
  for (let each = wanted.parent; each && each.section.level > 1; each = each.parent) {
    const section = matches.get(each)?.section;
    if (section && form.test(firstText(document, section))) return true;
  }
  return false;
}

/** The first line of prose below a heading. */
function firstText({ text, lines, blocks }: KepDocument, { form, own, textStart }: Section): string {
  if (form === 'question') return text.slice(textStart, lines.end(own.first));
  for (let line = own.first; line <= own.last; line++) {
    const kind = blocks.kinds[line];
    if (kind === lineKind.text || kind === lineKind.quote) return text.slice(lines.start(line), lines.end(line));
    if (kind !== lineKind.blank && kind !== lineKind.html) return '';
  }
  return '';
}
