import type { KepDocument } from '../document/document.js';
import type { Span } from '../document/lines.js';
import { gateNames } from '../facts/identifiers.js';
import { labelledFields } from '../facts/labelled-fields.js';
import { defineRule, type Fix } from '../facts/rule.js';

/** Operators type what the text says; the release notes take what the metadata says. */
export const gateMismatch = defineRule({
  id: 'KEP701',
  slug: 'gate-mismatch',
  summary: 'README and `kep.yaml` name the same gate',
  of: 'kep',
  severity: { draft: 'off', gated: 'error' },
  check({ document, yaml }, report) {
    if (!document || !yaml || yaml.gates.length === 0) return;
    const known = new Set(yaml.gates.map(({ name }) => name?.value ?? ''));
    for (const field of labelledFields(document, ['feature gate name'])) {
      const named = field.checked ? gateNames(field.value) : [];
      if (named.length === 0 || named.some((name) => known.has(name))) continue;
      const listed = [...known].join(', ');
      report({
        file: 'readme',
        span: field,
        message: `the README names the gate ${named.join(', ')}, kep.yaml names ${listed}`,
        fix: named.length === 1 && known.size === 1 ? renamed(document, field, named[0] ?? '', listed) : undefined,
      });
    }
  },
});

/** It is unknown which of the two is right; tools read the metadata. */
function renamed({ text }: KepDocument, field: Span, from: string, to: string): Fix | undefined {
  const start = text.indexOf(from, field.start);
  if (start < 0 || to === '') return undefined;
  return { safety: 'unsafe', edits: [{ start, end: start + from.length, text: to }] };
}
