import { explains } from '../facts/named-sections.js';
import { defineRule } from '../facts/rule.js';

/** Every change has risks and alternatives. N/A says that none were considered. */
export const bareNa = defineRule({
  id: 'KEP204',
  slug: 'bare-na',
  summary: 'Sections that explain say more than No',
  severity: { draft: 'info', gated: 'warn' },
  check({ assessed }, report) {
    for (const { wanted, match, demanded, answer } of assessed) {
      if (!match || !demanded || answer !== 'bare-na') continue;
      if (wanted.kind !== 'explain' && (wanted.isQuestion || wanted.kind !== undefined || !explains.has(wanted.norm)))
        continue;
      report({
        file: 'readme',
        span: match.section.span,
        section: match.section,
        message: `say why there is nothing to tell under "${match.section.title}"`,
      });
    }
  },
});
