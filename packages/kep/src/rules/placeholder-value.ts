import { templateValues } from '../facts/known-fields.js';
import { defineRule } from '../facts/rule.js';

/** It would be taken for the truth. */
export const placeholderValue = defineRule({
  id: 'KEP522',
  slug: 'placeholder-value',
  summary: 'No value of the template is left',
  of: 'kep',
  severity: { draft: 'error', gated: 'error' },
  whenFrozen: true,
  hard: true,
  check({ yaml }, report) {
    if (!yaml) return;
    const fields = [
      ...['title', 'owning-sig', 'status', 'stage', 'kep-number'].flatMap((name) => yaml.one(name) ?? []),
      ...['authors', 'reviewers', 'approvers', 'participating-sigs', 'metrics', 'see-also', 'replaces'].flatMap(
        (name) => yaml.many(name),
      ),
      ...yaml.gates.flatMap(({ name }) => name ?? []),
    ];
    for (const field of fields) {
      if (templateValues.has(field.value) || /^[a-z]+(?:\|[a-z]+)+$/.test(field.value))
        report({ file: 'yaml', span: field, message: `"${field.value}" is a value of the template` });
    }
  },
});
