import { history } from '../facts/named-sections.js';
import { defineRule } from '../facts/rule.js';
import { textOfSection } from '../facts/visible-text.js';
import { reaches } from '../metadata/stage.js';

/** Readers look there for when it came. */
export const historyMissesMilestone = defineRule({
  id: 'KEP803',
  slug: 'history-misses-milestone',
  summary: 'The implementation history names the release of the stage',
  of: 'kep',
  severity: { draft: 'off', gated: 'info' },
  check({ document, assessed, stage, milestone }, report) {
    const section = history(assessed);
    if (!document || !section || milestone === undefined || !reaches(stage, 'beta')) return;
    const text = textOfSection(document, section);
    if (text !== '' && !new RegExp(`(?<!\\d)1\\.${milestone}(?!\\d)`).test(text))
      report({ file: 'readme', span: section.span, section, message: `the history does not name v1.${milestone}` });
  },
});
