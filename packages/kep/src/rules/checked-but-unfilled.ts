import { hasBoxAbove, labelledFields } from '../facts/labelled-fields.js';
import { defineRule } from '../facts/rule.js';

/** A tick without a name does not help to find the gate. */
export const checkedButUnfilled = defineRule({
  id: 'KEP205',
  slug: 'checked-but-unfilled',
  summary: 'What is ticked is filled in',
  of: 'kep',
  severity: { draft: 'warn', gated: 'error' },
  check({ document }, report) {
    if (!document) return;
    for (const field of labelledFields(document, [
      'feature gate name',
      'metric name',
      'event reason',
      'describe the mechanism',
    ])) {
      if (!field.checked || field.value !== '' || !hasBoxAbove(document, field.start)) continue;
      report({
        file: 'readme',
        span: field,
        message: `its box is ticked, and "${document.text.slice(field.start, field.end).replace(/^[-*+]\s+/, '')}" is empty`,
      });
    }
  },
});
