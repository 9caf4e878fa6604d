import { defineRule, startOfFile } from '../facts/rule.js';

/** Boards and reports show them. */
export const recommendedField = defineRule({
  id: 'KEP511',
  slug: 'recommended-field',
  summary: '`kep.yaml` has the fields that people ask for',
  of: 'kep',
  severity: { draft: 'info', gated: 'info' },
  check({ yaml, phase }, report) {
    if (!yaml?.root) return;
    const names = ['reviewers', 'creation-date', ...(phase === 'gated' ? ['milestone'] : [])];
    for (const name of names)
      if (!yaml.node(name)) report({ file: 'yaml', span: startOfFile, message: `"${name}" is missing` });
  },
});
