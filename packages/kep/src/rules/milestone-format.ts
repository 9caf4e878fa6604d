import { milestoneFields } from '../facts/known-fields.js';
import { defineRule } from '../facts/rule.js';
import { minorOf } from '../metadata/kep-yaml.js';

/** Tools compare them; text cannot be compared. */
export const milestoneFormat = defineRule({
  id: 'KEP507',
  slug: 'milestone-format',
  summary: 'Milestones are releases',
  of: 'kep',
  severity: { draft: 'warn', gated: 'error' },
  check({ yaml }, report) {
    if (!yaml) return;
    for (const field of milestoneFields(yaml)) {
      if (minorOf(field.value) !== undefined || field.value === '0.0' || field.value === 'v0.0') continue;
      report({ file: 'yaml', span: field, message: `"${field.value}" is not a release; write for example "v1.37"` });
    }
  },
});
