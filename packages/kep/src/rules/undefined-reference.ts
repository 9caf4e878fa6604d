import { linkDefinitions } from '../document/link-definitions.js';
import { defineRule } from './rule.js';
import { visibleText, withoutCode } from './visible-text.js';

/** `[text][name]` without a definition shows with its brackets. */
export const undefinedReference = defineRule({
  id: 'KEP407',
  slug: 'undefined-reference',
  summary: 'References are defined',
  severity: { draft: 'warn', gated: 'warn' },
  whenFrozen: true,
  check({ document }, report) {
    if (!document) return;
    let definitions: ReturnType<typeof linkDefinitions> | undefined;
    for (const { start, text } of visibleText(document)) {
      if (!text.includes('][')) continue;
      for (const found of withoutCode(text).matchAll(/(?<![\]\w])\[([^[\]]{1,200})\]\[([^[\]]{0,200})\](?![[(])/g)) {
        const name = (found[2] || found[1] || '').trim();
        definitions ??= linkDefinitions(document.text);
        if (definitions.has(name.toLowerCase()) || /^[\d., :]*$/.test(name)) continue;
        const span = { start: start + found.index, end: start + found.index + found[0].length };
        report({ file: 'readme', span, message: `"${name}" is defined nowhere` });
      }
    }
  },
});
