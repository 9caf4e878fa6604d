import { defineRule } from '../facts/rule.js';

/** A reader of the old one has to find the new one. */
export const replacedNeedsSupersededBy = defineRule({
  id: 'KEP518',
  slug: 'replaced-needs-superseded-by',
  summary: 'A replaced proposal names its successor',
  of: 'kep',
  severity: { draft: 'error', gated: 'error' },
  whenFrozen: true,
  check({ yaml }, report) {
    const status = yaml?.one('status');
    if (status?.value !== 'replaced' || (yaml?.many('superseded-by').length ?? 0) > 0) return;
    report({ file: 'yaml', span: status, message: 'the status is replaced and superseded-by is empty' });
  },
});
