import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Lines } from './lines.js';
import { mdtocHeadings } from './mdtoc-headings.js';

const line = fc.oneof(
  fc.constantFrom(
    '',
    '',
    'a b',
    'a `b` c',
    'a `` b',
    'a | b',
    '--- | ---',
    ': a',
    '- a',
    '- a # b',
    '- a `b` a',
    '- `a',
    '**a** a',
    '`a` a',
    '[ ] a',
    '  a -',
    '* a',
    '+ [ ] a',
    '- - -',
  ),
  fc.constantFrom(
    '# a',
    '## a `b`',
    '   ### a',
    '- # a',
    '> # a',
    '  - a',
    '  a',
    '    a',
    '    - a',
    '  1. a',
    '1. a',
    'a ===',
    '---',
    '===',
    '```',
    '~~~',
    '[a]: b',
  ),
  fc.string({ unit: fc.constantFrom('a', ' ', '`', '|', '#', '-', '=', ':', '*'), maxLength: 8 }),
);

test('mdtocHeadings() finds the same in lines that it passes over as in those that it reads', () => {
  // Only lines that begin or end with an ASCII letter are passed over; to mdtoc it is a letter like any other.
  const read = (text: string) => text.replaceAll('a', 'é');
  fc.assert(
    fc.property(fc.array(line, { maxLength: 20 }), (lines) => {
      const text = `${lines.join('\n')}\n`;
      const passed = mdtocHeadings(text).map((heading) => ({ ...heading, source: read(heading.source) }));
      expect(passed).toEqual(mdtocHeadings(read(text)));
      const inOrder = passed.map(({ line }) => line).sort((one, other) => one - other);
      expect(passed.map(({ line }) => line)).toEqual(inOrder);
    }),
    { numRuns: 3_000 },
  );
});

test('mdtocHeadings() counts the lines that a caller may know', () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 20 }), (all) => {
      const text = `${all.join('\n')}\n`;
      const lines = new Lines(text);
      expect(mdtocHeadings(text, (offset) => lines.at(offset))).toEqual(mdtocHeadings(text));
    }),
  );
});
