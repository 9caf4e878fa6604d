import { nearest } from '../document/nearest.js';
import { knownFields } from '../facts/known-fields.js';
import { defineRule } from '../facts/rule.js';

/** No tool reads a misspelt field. */
export const unknownField = defineRule({
  id: 'KEP502',
  slug: 'unknown-field',
  summary: '`kep.yaml` has only known fields',
  of: 'kep',
  severity: { draft: 'error', gated: 'error' },
  whenFrozen: true,
  hard: true,
  check({ yaml }, report) {
    for (const { key } of yaml?.root?.entries ?? []) {
      if (knownFields.has(key.source)) continue;
      const near = nearest(key.source, knownFields);
      const hint = near ? `; did you mean "${near}"?` : '';
      report({ file: 'yaml', span: key, message: `"${key.source}" is not a field of kep.yaml${hint}` });
    }
  },
});
