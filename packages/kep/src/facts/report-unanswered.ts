import type { Answer } from '../template/answered.js';
import { type Unanswered, unanswered } from '../template/assess.js';
import { oldTemplateText } from '../template/old-template-text.js';
import { demandOf } from './report-missing.js';
import type { KepFacts, Report } from './rule.js';

const says: Readonly<Partial<Record<Answer, string>>> = {
  empty: 'is empty',
  'scaffold-only': 'has only the text of the template',
  placeholder: 'has only a placeholder',
};

/** Reports the sections in which nothing is answered and that `isMeant`. */
export function reportUnanswered(
  facts: KepFacts,
  report: (found: Report) => void,
  isMeant: (each: Unanswered) => boolean,
): void {
  for (const each of unanswered(facts.assessed)) if (isMeant(each)) report(reportOn(each, facts));
}

/** Whether a section holds no more than its template. */
export function isBare({ answer }: Unanswered): boolean {
  return answer === 'empty' || answer === 'scaffold-only';
}

function reportOn({ wanted, match: { section }, answer }: Unanswered, { document }: KepFacts): Report {
  const old = document && answer === 'scaffold-only' ? oldTemplateText(document, section) : undefined;
  const state = old === undefined ? (says[answer] ?? 'is not answered') : `has only the text of the template of ${old}`;
  const message = `"${section.title}" ${state}; it ${demandOf(wanted)}`;
  return { file: 'readme', span: section.span, section, message };
}
