import { defineRule, startOfFile } from '../facts/rule.js';
import { generationOf } from '../template/generations.js';

/** Templates grow. What was added since is what reviewers learned since. */
export const templateGeneration = defineRule({
  id: 'KEP109',
  slug: 'template-generation',
  summary: "The README follows today's template",
  of: 'kep',
  severity: { draft: 'info', gated: 'warn' },
  check({ document, template, stage }, report) {
    const generation = document && generationOf(document, template, stage);
    if (!document || !generation || generation.behind === 0) return;
    const message = `written from the ${generation.name} template; ${generation.behind} ${generation.behind === 1 ? 'change' : 'changes'} of the template came later`;
    report({ file: 'readme', span: startOfFile, message });
  },
});
