import type { Section } from '../document/sections.js';
import type { Answer } from '../template/answered.js';
import type { TemplateSection } from '../template/template.js';
import { demandOf } from './report-missing.js';
import type { Report } from './rule.js';

const says: Readonly<Partial<Record<Answer, string>>> = {
  empty: 'is empty',
  'scaffold-only': 'has only the text of the template',
  placeholder: 'has only a placeholder',
};

/** Reports a section in which nothing is answered. */
export function reportUnanswered(
  section: Section,
  wanted: TemplateSection,
  answer: Answer,
  report: (found: Report) => void,
): void {
  const message = `"${section.title}" ${says[answer] ?? 'is not answered'}; it ${demandOf(wanted)}`;
  report({ file: 'readme', span: section.span, section, message });
}
