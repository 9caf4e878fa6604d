import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Lines } from './lines.js';
import { mdtocHeadings } from './mdtoc-headings.js';
import { scanBlocks } from './scan-blocks.js';

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
    '[a]: a',
  ),
  fc.constantFrom(
    '[a]:',
    '"a"',
    '[a](a)',
    '[ ] a',
    '> a',
    '> # a',
    '> a ``` a',
    '> a ```',
    'a ```',
    '2024 a',
    '``` a',
    '  ```',
    '<!-- a -->',
    '<!--',
    '-->',
    '<p>a',
    '</p>',
    '$$',
    '$$ a',
    '%%% a',
    '--- a',
    '.# a',
    '1.# a',
    '(# a',
    '- a ~~~',
    '# a {#a} # a',
    '# a #',
    '#  a',
    '\ta',
    '  ',
  ),
  fc.string({ unit: fc.constantFrom('a', ' ', '`', '|', '#', '-', '=', ':', '*'), maxLength: 8 }),
);

/** Few kinds of lines in each document, so that those of a kind meet. */
const document = fc
  .uniqueArray(line, { minLength: 1, maxLength: 4 })
  .chain((lines) => fc.array(fc.constantFrom('', 'a', '# a', ...lines), { maxLength: 14 }))
  .map((lines) => `${lines.join('\n')}\n`);

/** In each, a line must not be passed over, for it changes what lines behind it are. */
const notPlain = [
  ': a\n\n#$(\n# a\n',
  '[a]:\n\n"a"\n===\n',
  '<!-- a\n\n# a\n-->\n',
  '$$ a\n\n# a\n$$ a\n',
  '%%% a\n\n# a\n%%% a\n',
  '--- a\n\n# a\n--- a\n',
  '> a\n\n>:a\n# a\n',
  '```a\n\n# a\n```\n',
  '``a\n\n</p>\n===\n`a | a\n|---|---|\n',
  '- a ## a\n\n- a\n> # a\n',
  '1. a\n\n1. a\n---\n',
  '* a\n\n* a\n=\n',
  '- : a\n\n    # a\n',
  'a `` a\n\n: # a\n',
];

test('mdtocHeadings() finds the same in lines that it passes over as in those that it reads', () => {
  // Only lines with an ASCII letter are passed over; to mdtoc it is a letter like any other.
  const read = (text: string) => text.replaceAll('a', 'é');
  fc.assert(
    fc.property(document, (text) => {
      const passed = mdtocHeadings(text).map((heading) => ({ ...heading, source: read(heading.source) }));
      expect(passed).toEqual(mdtocHeadings(read(text)));
      const inOrder = passed.map(({ line }) => line).sort((one, other) => one - other);
      expect(passed.map(({ line }) => line)).toEqual(inOrder);
    }),
    { numRuns: 6_000, examples: notPlain.map((text) => [text]) },
  );
});

test('mdtocHeadings() finds the same when it knows the blocks of CommonMark', () => {
  fc.assert(
    fc.property(document, fc.nat(14), (text, before) => {
      const lines = new Lines(text);
      const { headings } = scanBlocks(text, lines);
      const from = lines.start(before);
      const first = lines.at(from);
      const apart = mdtocHeadings(text.slice(from)).map((heading) => ({ ...heading, line: heading.line + first }));
      const known = mdtocHeadings(text, from, { lines, headings });
      expect(known.map(({ level, source, line }) => ({ level, source, line }))).toEqual(apart);
    }),
    { numRuns: 3_000 },
  );
});
