import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseDocument } from '../document/document.js';
import { proseWith, visibleText } from './visible-text.js';

test('proseWith() finds the stretches that hold a mark, among those that do not', () => {
  const line = fc
    .array(fc.constantFrom('a', '](', '][', ']', '[', '<!--', '-->', '```', ' '))
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.array(line), fc.subarray(['](', '][', 'a'], { minLength: 1 }), (lines, marks) => {
      const document = parseDocument(lines.join('\n'));
      const wanted = visibleText(document).filter(({ text }) => marks.some((mark) => text.includes(mark)));
      expect(proseWith(document, marks)).toEqual(wanted);
    }),
  );
});
