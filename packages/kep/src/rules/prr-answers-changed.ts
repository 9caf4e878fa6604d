import type { KepDocument } from '../document/document.js';
import type { Section } from '../document/sections.js';
import { needsApproval } from '../facts/needs-approval.js';
import { defineRule } from '../facts/rule.js';
import { textOfSection } from '../facts/visible-text.js';
import { matchTemplate } from '../template/match.js';
import type { Template } from '../template/template.js';

const maxNamed = 5;

/** Who approved the stage read other answers. Only looked at with `--since`. */
export const prrAnswersChanged = defineRule({
  id: 'KEP619',
  slug: 'prr-answers-changed',
  summary: 'Answers that were approved are as they were approved',
  of: 'kep',
  severity: { draft: 'off', gated: 'info' },
  check(facts, report) {
    const { document, before, approval, stage, template } = facts;
    if (!document || !before || !needsApproval(facts) || !approval?.stages.get(stage)) return;
    const old = answersOf(before, template);
    const changed = [...answersOf(document, template)].filter(
      ([title, { text }]) => (old.get(title)?.text ?? text) !== text,
    );
    const [first] = changed;
    if (!first) return;
    const titles = changed.slice(0, maxNamed).map(([title]) => `"${title}"`);
    const more = changed.length > titles.length ? ` and ${changed.length - titles.length} more` : '';
    report({
      file: 'readme',
      span: first[1].section.span,
      section: first[1].section,
      message: `answers changed after ${stage} was approved: ${titles.join(', ')}${more}`,
    });
  },
});

/** The answers of the questionnaire by the title that the template gives them. */
function answersOf(document: KepDocument, template: Template): Map<string, { section: Section; text: string }> {
  const found = new Map<string, { section: Section; text: string }>();
  for (const [wanted, { section }] of matchTemplate(document, template)) {
    if (!wanted.isQuestion) continue;
    found.set(wanted.title, { section, text: textOfSection(document, section).replace(/\s+/g, ' ') });
  }
  return found;
}
