import { defineRule, startOfFile } from './rule.js';
import { signoffSection } from './signoff-items.js';

/** The release team works from it. */
export const signoffMissing = defineRule({
  id: 'KEP206',
  slug: 'signoff-missing',
  summary: 'The release signoff checklist is there',
  severity: { draft: 'info', gated: 'warn' },
  check({ document }, report) {
    if (!document || signoffSection(document)) return;
    report({ file: 'readme', span: startOfFile, message: 'there is no "Release Signoff Checklist"' });
  },
});
