import { nearest } from '../document/nearest.js';
import { defineRule } from '../facts/rule.js';

/** A group that does not exist reviews nothing. */
export const unknownGroup = defineRule({
  id: 'KEP514',
  slug: 'unknown-group',
  summary: 'Groups exist',
  of: 'kep',
  severity: { draft: 'error', gated: 'error' },
  whenFrozen: true,
  hard: true,
  check({ yaml, repository }, report) {
    const { groups } = repository;
    if (!yaml || !groups) return;
    for (const name of ['owning-sig', 'participating-sigs']) {
      for (const group of yaml.many(name)) {
        if (groups.has(group.value) || /^tbd$/i.test(group.value)) continue;
        const near = nearest(group.value, groups);
        report({
          file: 'yaml',
          span: group,
          message: `${name}: there is no group "${group.value}"${near ? `; did you mean "${near}"?` : ''}`,
        });
      }
    }
  },
});
