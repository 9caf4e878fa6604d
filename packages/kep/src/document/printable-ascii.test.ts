import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseDocument } from './document.js';
import { normalizeTitle } from './normalize-title.js';
import { githubAnchors } from './toc.js';

const ascii = fc.string({ unit: fc.constantFrom(...'aZ09 _-.,:;!?(){}[]<>`*/&"\'#~+='), maxLength: 40 });

test('normalizeTitle() makes the same of ASCII whether letters of other scripts follow or not', () => {
  fc.assert(
    fc.property(ascii, (title) => {
      expect(normalizeTitle(`${title} é`)).toBe(`${normalizeTitle(title)} é`.trim());
    }),
  );
});

test('githubAnchors() makes the same of ASCII whether letters of other scripts follow or not', () => {
  const anchorOf = (title: string) => githubAnchors(parseDocument(`# ${title}\n`))[0] ?? '';
  fc.assert(
    fc.property(ascii, (title) => {
      fc.pre(!/[\\`*_<&[\]~#]/.test(title));
      const plain = `a${title}b`;
      expect(anchorOf(`${plain} é`)).toBe(`${anchorOf(plain)}-é`);
    }),
  );
});
