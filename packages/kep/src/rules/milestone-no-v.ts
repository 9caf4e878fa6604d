import { milestoneFields } from '../facts/known-fields.js';
import { defineRule } from '../facts/rule.js';

/** Queries for `v1.37` do not find `1.37`. */
export const milestoneNoV = defineRule({
  id: 'KEP509',
  slug: 'milestone-no-v',
  summary: 'Milestones begin with v',
  of: 'kep',
  severity: { draft: 'warn', gated: 'warn' },
  check({ yaml }, report) {
    if (!yaml) return;
    for (const field of milestoneFields(yaml)) {
      if (!/^1\.\d+$/.test(field.value)) continue;
      const fix = {
        safety: 'safe' as const,
        edits: [{ start: field.start, end: field.end, text: `"v${field.value}"` }],
      };
      report({ file: 'yaml', span: field, message: `write "v${field.value}"`, fix });
    }
  },
});
