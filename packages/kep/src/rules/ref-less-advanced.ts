import { defineRule } from '../facts/rule.js';

/** What it builds on may never come. */
export const refLessAdvanced = defineRule({
  id: 'KEP530',
  slug: 'ref-less-advanced',
  summary: 'Related proposals are alive',
  of: 'kep',
  severity: { draft: 'info', gated: 'info' },
  check({ yaml, repository }, report) {
    for (const reference of yaml?.many('see-also') ?? []) {
      const path = reference.value
        .trim()
        .replace(/^\//, '')
        .replace(/\/(?:README\.md|kep\.yaml)?$/, '');
      const status = path.startsWith('keps/') ? repository.statusOf(path) : undefined;
      if (status === 'withdrawn' || status === 'rejected' || status === 'replaced')
        report({ file: 'yaml', span: reference, message: `see-also: ${path} is ${status}` });
    }
  },
});
