import type { Section } from '../document/sections.js';
import type { Answer } from '../template/answered.js';
import { oldTemplateText } from '../template/old-template-text.js';
import type { TemplateSection } from '../template/template.js';
import { demandOf } from './report-missing.js';
import type { KepFacts, Report } from './rule.js';

const says: Readonly<Partial<Record<Answer, string>>> = {
  empty: 'is empty',
  'scaffold-only': 'has only the text of the template',
  placeholder: 'has only a placeholder',
};

/** Reports a section in which nothing is answered. */
export function reportUnanswered(
  { document }: KepFacts,
  section: Section,
  wanted: TemplateSection,
  answer: Answer,
  report: (found: Report) => void,
): void {
  const old = document && answer === 'scaffold-only' ? oldTemplateText(document, section) : undefined;
  const state = old === undefined ? (says[answer] ?? 'is not answered') : `has only the text of the template of ${old}`;
  const message = `"${section.title}" ${state}; it ${demandOf(wanted)}`;
  report({ file: 'readme', span: section.span, section, message });
}
