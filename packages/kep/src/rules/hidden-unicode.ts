import { hasOddCharacters } from '../facts/odd-characters.js';
import { defineRule } from '../facts/rule.js';

/** What a reviewer cannot see, a reviewer cannot review. */
export const hiddenUnicode = defineRule({
  id: 'KEP006',
  slug: 'hidden-unicode',
  summary: 'No character is invisible or turns the reading direction',
  severity: { draft: 'warn', gated: 'error' },
  whenFrozen: true,
  check({ document, source }, report) {
    if (!document || !hasOddCharacters({ document, source })) return;
    for (const found of document.text.matchAll(/[\u200B\u2060\u00AD\u202A-\u202E\u2066-\u2069\uFEFF]/g)) {
      if (found.index === 0 && found[0] === '\uFEFF') continue;
      const span = { start: found.index, end: found.index + 1 };
      const code = found[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
      const fix = { safety: 'safe' as const, edits: [{ ...span, text: '' }] };
      report({ file: 'readme', span, message: `here stands the invisible character U+${code}`, fix });
    }
  },
});
