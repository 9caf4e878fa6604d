import { defineRule } from '../facts/rule.js';

/** Only a handle with @ is told about changes. */
export const personFormat = defineRule({
  id: 'KEP512',
  slug: 'person-format',
  summary: 'People are named by handle',
  of: 'kep',
  severity: { draft: 'warn', gated: 'warn' },
  check({ yaml, phase }, report) {
    if (!yaml) return;
    for (const name of ['authors', 'reviewers', 'approvers', 'editor']) {
      for (const person of yaml.many(name)) {
        if (/^@[A-Za-z0-9](?:-?[A-Za-z0-9])*(?:\/[A-Za-z0-9_.-]+)?$/.test(person.value) && person.value.length <= 80)
          continue;
        if (/^tbd$/i.test(person.value)) {
          if (phase === 'gated') report({ file: 'yaml', span: person, message: `${name}: TBD does not name a person` });
          continue;
        }
        const bare = /^[A-Za-z0-9](?:-?[A-Za-z0-9])*$/.test(person.value);
        const fix = bare
          ? { safety: 'safe' as const, edits: [{ start: person.start, end: person.end, text: `"@${person.value}"` }] }
          : undefined;
        report({
          file: 'yaml',
          span: person,
          message: `${name}: "${person.value}" is not a handle${bare ? `; write "@${person.value}"` : ''}`,
          fix,
        });
      }
    }
  },
});
