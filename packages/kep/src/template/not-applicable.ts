import { lineKind } from '../document/blocks.js';
import type { KepDocument } from '../document/document.js';
import type { Section } from '../document/sections.js';
import type { Match } from './match.js';
import type { Template, TemplateSection } from './template.js';

const form =
  /^[\s>*_`-]*(?:n\/?a\b|not applicable\b|(?:this section|this questionnaire) (?:is not applicable|does ?n['o]t apply))/i;

/** The sections of a template below headings for which the author wrote that none of this applies. */
export function inapplicableSections(
  document: KepDocument,
  { sections }: Template,
  matches: ReadonlyMap<TemplateSection, Match>,
): ReadonlySet<TemplateSection> {
  const found = new Set<TemplateSection>();
  const says = (section: Section | undefined) => section !== undefined && form.test(firstText(document, section));
  for (const wanted of sections) {
    if (wanted.children.length === 0 || wanted.section.level <= 1) continue;
    if (found.has(wanted) || says(matches.get(wanted)?.section)) for (const child of wanted.children) found.add(child);
  }
  return found;
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
