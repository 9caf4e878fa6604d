import { isGateName } from '../facts/identifiers.js';
import { defineRule } from '../facts/rule.js';

/** Who reads it has to know what to switch. */
export const gateNotMentioned = defineRule({
  id: 'KEP702',
  slug: 'gate-not-mentioned',
  summary: 'The README mentions the gate',
  of: 'kep',
  severity: { draft: 'off', gated: 'warn' },
  check({ document, yaml }, report) {
    if (!document) return;
    for (const { name } of yaml?.gates ?? []) {
      if (!name || !isGateName(name.value) || document.text.includes(name.value)) continue;
      report({ file: 'yaml', span: name, message: `the README never mentions ${name.value}` });
    }
  },
});
