import { insertSection } from '../facts/insert-section.js';
import { missingSections, reportMissing } from '../facts/report-missing.js';
import { defineRule, type KepFacts, type Report } from '../facts/rule.js';
import type { Edit } from '../metadata/edit.js';
import type { Assessed } from '../template/assess.js';

/** Who runs the cluster asks these before switching anything on. */
export const questionMissing = defineRule({
  id: 'KEP102',
  slug: 'question-missing',
  summary: 'The required questions of the stage are present',
  severity: { draft: 'warn', gated: 'error' },
  check(facts, report) {
    const missing = missingSections(facts).filter(({ wanted }) => wanted.isQuestion);
    for (const parent of new Set(missing.map(({ wanted }) => wanted.parent))) {
      const questions = missing.filter(({ wanted }) => wanted.parent === parent);
      const heading = facts.assessed.find(({ wanted }) => wanted === parent);
      const isAnySeen = facts.assessed.some(({ wanted, match }) => wanted.parent === parent && match);
      if (heading?.match && questions.length > 1 && !isAnySeen) reportAll(facts, heading, questions, report);
      else for (const { wanted } of questions) reportMissing(facts, wanted, report);
    }
  },
});

/** One finding for a section that was written without the questions of the template. */
function reportAll(
  facts: KepFacts,
  { wanted, match }: Assessed,
  questions: readonly Assessed[],
  report: (found: Report) => void,
): void {
  const [first] = questions;
  const edit = joined(questions.flatMap((question) => insertSection(facts, question.wanted) ?? []));
  report({
    file: 'readme',
    span: match?.section.span ?? { start: 0, end: 0 },
    section: wanted.section,
    message: `none of the ${questions.length} questions of "${wanted.title}" is there, the first is "${first?.wanted.title}"`,
    fix: edit && { safety: 'safe', edits: [edit] },
  });
}

/** Insertions at one place as one. */
function joined(edits: readonly Edit[]): Edit | undefined {
  const [first, ...others] = edits;
  if (!first || others.some(({ start }) => start !== first.start)) return undefined;
  return {
    ...first,
    text: [first, ...others.map(({ text }) => ({ text: text.trimStart() }))].map(({ text }) => text).join(''),
  };
}
