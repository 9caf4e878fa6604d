import { defineRule, startOfFile } from '../facts/rule.js';

/** Evidence is written by a run, not by hand. */
export const evidenceEdited = defineRule({
  id: 'KEP715',
  slug: 'evidence-edited',
  summary: 'Evidence was not edited',
  of: 'kep',
  severity: { draft: 'error', gated: 'error' },
  hard: true,
  check({ yaml, evidence }, report) {
    for (const { name, edited, evidence: read } of evidence) {
      if (!edited && read) continue;
      const what = read ? 'was changed by hand' : 'cannot be read';
      report({ file: 'yaml', span: yaml?.one('stage') ?? startOfFile, message: `evidence/${name} ${what}` });
    }
  },
});
