import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseDocument } from '../document/document.js';
import { proseWith, visibleFrom, visibleIn, visibleText } from './visible-text.js';

const line = fc
  .array(fc.constantFrom('a', '](', '][', ']', '[', '<!--', '-->', '```', ' '))
  .map((parts) => parts.join(''));

test('proseWith() finds the stretches that hold a mark, among those that do not', () => {
  fc.assert(
    fc.property(fc.array(line), fc.subarray(['](', '][', 'a'], { minLength: 1 }), (lines, marks) => {
      const document = parseDocument(lines.join('\n'));
      const wanted = visibleText(document).filter(({ text }) => marks.some((mark) => text.includes(mark)));
      expect(proseWith(document, marks)).toEqual(wanted);
    }),
  );
});

test('proseWith() leaves out stretches none of whose marks matters', () => {
  const document = parseDocument('a1 and a2\n\nonly a2\n\na1 <!-- a1 --> a2');
  const found = proseWith(document, ['a'], (at) => document.text[at + 1] === '1');
  expect(found.map(({ text }) => text)).toEqual(['a1 and a2', 'a1 ', ' a2']);
});

test('visibleIn() and visibleFrom() read what visibleText() has on those lines', () => {
  fc.assert(
    fc.property(fc.array(line, { minLength: 1 }), fc.nat(), fc.nat(), (lines, one, other) => {
      const document = parseDocument(lines.join('\n'));
      const first = one % lines.length;
      const last = other % lines.length;
      const all = visibleText(document);
      expect(visibleIn(document, first, last)).toEqual(all.filter((each) => first <= each.line && each.line <= last));
      expect([...visibleFrom(document, first)]).toEqual(all.filter((each) => first <= each.line));
    }),
  );
});
