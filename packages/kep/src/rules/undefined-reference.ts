import { linkDefinitions } from '../document/link-definitions.js';
import { defineRule } from '../facts/rule.js';
import { proseWith, withoutCode } from '../facts/visible-text.js';

const form = /(?<![\]\w])\[([^[\]]{1,200})\]\[([^[\]]{0,200})\](?![[(])/g;
/** Tags that name end-to-end tests: `[sig-node][Slow]`, `[Feature:Bells]`. */
const testTag =
  /^(?:sig-[a-z-]+|[A-Z][A-Za-z]*: ?[\w.\- ]+|Alpha|Beta|Conformance|NodeConformance|Serial|Slow|Disruptive|Flaky|LinuxOnly|WindowsOnly|Privileged|Deprecated)$/;

/** `[text][name]` without a definition shows with its brackets. */
export const undefinedReference = defineRule({
  id: 'KEP407',
  slug: 'undefined-reference',
  summary: 'References are defined',
  severity: { draft: 'warn', gated: 'warn' },
  whenFrozen: true,
  check({ document }, report) {
    if (!document?.text.includes('][')) return;
    let definitions: ReturnType<typeof linkDefinitions> | undefined;
    for (const { start, text } of proseWith(document, [']['])) {
      for (const found of withoutCode(text).matchAll(form)) {
        const [whole, shown = '', target = ''] = found;
        const name = (target || shown).trim();
        if (/^[\d., :]*$/.test(name) || (testTag.test(shown.trim()) && testTag.test(name))) continue;
        definitions ??= linkDefinitions(document.text);
        if (definitions.has(name.toLowerCase())) continue;
        const span = { start: start + found.index, end: start + found.index + whole.length };
        const isAddress = /^(?:#|https?:|\.{0,2}\/)/.test(name);
        const message = isAddress
          ? `"${name}" is an address; write [${shown}](${name})`
          : `"${name}" is defined nowhere`;
        report({ file: 'readme', span, message });
      }
    }
  },
});
