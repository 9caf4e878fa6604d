import { isDigit } from '../document/line-marks.js';
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
    if (text !== '' && !namesRelease(text, `1.${milestone}`))
      report({ file: 'readme', span: section.span, section, message: `the history does not name v1.${milestone}` });
  },
});

/** Whether a text holds a number that does not go on on either side. An expression for each release would have to be compiled. */
function namesRelease(text: string, release: string): boolean {
  for (let at = text.indexOf(release); at >= 0; at = text.indexOf(release, at + 1)) {
    if (!isDigit(text[at - 1] ?? '') && !isDigit(text[at + release.length] ?? '')) return true;
  }
  return false;
}
