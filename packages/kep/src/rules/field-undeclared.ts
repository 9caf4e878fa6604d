import { nearestValue } from '../document/nearest.js';
import { defineRule } from '../facts/rule.js';

/** An undeclared field is mostly a misspelt one, and no tool reads it. */
export const fieldUndeclared = defineRule({
  id: 'KEP543',
  slug: 'field-undeclared',
  summary: 'The metadata has only fields of the kind of document',
  of: 'declared',
  severity: { draft: 'warn', gated: 'warn' },
  check({ declared }, report) {
    if (!declared || declared.kind.otherFields) return;
    const { kind, metadata } = declared;
    const names = [...kind.fields.keys()];
    for (const [at, { name, key }] of metadata.fields.entries()) {
      if (metadata.fields.slice(0, at).some((other) => other.name === name)) {
        report({ file: metadata.file, span: key, message: `"${name}" is there twice` });
        continue;
      }
      if (names.includes(name)) continue;
      const near = nearestValue(name, names);
      const hint = near ? `did you mean ${near}?` : `a document of kind ${kind.name} has ${names.join(', ')}`;
      const isFree = near !== undefined && !metadata.fields.some((other) => other.name === near);
      const fix = isFree && { safety: 'safe' as const, edits: [{ start: key.start, end: key.end, text: near }] };
      report({
        file: metadata.file,
        span: key,
        message: `there is no field "${name}"; ${hint}`,
        fix: fix || undefined,
      });
    }
  },
});
