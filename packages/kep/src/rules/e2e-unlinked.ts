import { reaches } from '../template/stage.js';
import { defineRule } from './rule.js';
import { textOfSection } from './visible-text.js';

/** Tests that exist have an address. */
export const e2eUnlinked = defineRule({
  id: 'KEP804',
  slug: 'e2e-unlinked',
  summary: 'From beta on e2e tests are linked',
  severity: { draft: 'off', gated: 'warn' },
  check({ document, assessed, stage }, report) {
    const match = assessed.find(({ wanted }) => wanted.norm === 'e2e tests')?.match;
    if (!document || !match || !reaches(stage, 'beta')) return;
    const text = textOfSection(document, match.section);
    if (
      text === '' ||
      /https?:\/\/|\]\(|\btest\/e2e|_test\.go\b|\]\[|\]:/.test(text) ||
      /^\W*(?:n\/?a|none|no|not applicable)\b/i.test(text)
    )
      return;
    report({ file: 'readme', span: match.section.span, section: match.section, message: 'no e2e test is linked' });
  },
});
