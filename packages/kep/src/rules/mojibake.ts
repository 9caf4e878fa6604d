import { mojibakeForm, repairMojibake } from '../document/repair-mojibake.js';
import { hasOddCharacters } from '../facts/odd-characters.js';
import { defineRule } from '../facts/rule.js';
import { visibleText } from '../facts/visible-text.js';

/** A dash or a quote that went through Windows-1252 shows as three odd letters. */
export const mojibake = defineRule({
  id: 'KEP005',
  slug: 'mojibake',
  summary: 'No character was read in the wrong encoding',
  severity: { draft: 'warn', gated: 'error' },
  whenFrozen: true,
  check({ document, source }, report) {
    if (!document || !hasOddCharacters({ document, source })) return;
    for (const { start, text } of visibleText(document)) {
      for (const found of text.matchAll(mojibakeForm)) {
        const meant = repairMojibake(found[0]);
        if (meant === undefined) continue;
        const span = { start: start + found.index, end: start + found.index + found[0].length };
        const message = `"${found[0]}" is ${JSON.stringify(meant)} read as Windows-1252`;
        report({ file: 'readme', span, message, fix: { safety: 'safe', edits: [{ ...span, text: meant }] } });
      }
    }
  },
});
