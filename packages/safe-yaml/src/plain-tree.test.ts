import fc from 'fast-check';
import { expect, test } from 'vitest';
import { defaultLimits } from './limits.js';
import { plainTree } from './plain-tree.js';
import { parsedTree } from './yaml-tree.js';

/** Whether it was read without the library; what is, has to be the same. */
function isReadAlike(text: string): boolean {
  const root = plainTree(text);
  if (root) expect(parsedTree(text, defaultLimits), JSON.stringify(text)).toEqual({ root, problems: [] });
  return root !== undefined;
}

test.each([
  'title: Bells\nauthors:\n  - "@ada"\n  - \'@bob\' # of the tower\nstage: alpha\n',
  'a:\n- b\n- c\n\n# end\nd: 2019-03-11\n',
  'a:\n\nb: 1\nc: 1.25\nd: "1.25"\n',
  'gates:\n  - name: Bells\n    components:\n      - kubelet\n\n  - name: Ropes\n    components: []\nmilestone:\n  alpha: v1.2\n\n# later\n\nlast: true',
  'a: 1\nb:\n#  - c\n\n  # d\n',
  'a: [x, "y", \'z\']\nb: {}\nc: [ ] # none\nd: null\ne: (f) g/h, i\n',
])('plainTree(%j) needs no library', (text) => {
  expect(isReadAlike(text)).toBe(true);
});

test.each([
  'a: b\n  c\n',
  'a: |\n  b\n',
  'a: &b c\nd: *b\n',
  'a: 1\na: 2\n',
  'a: b: c\n',
  'a: "b\\n"\n',
  'a: 0x1\n',
  'a:\n  b:\n  # c\n',
  'a:\r\n  - b\r\n',
  'a:\n\t- b\n',
  '- a\n -b\n',
  'a: [b, [c]]\n',
  'a: [b,]\n',
  '---\na: 1\n',
  '',
])('plainTree(%j) leaves it to the library', (text) => {
  expect(isReadAlike(text)).toBe(false);
});

test('plainTree() gives what the library gives', () => {
  const word = fc.constantFrom(
    'a',
    'b-c',
    'v1.2',
    '1',
    '1.0',
    '012',
    '2020-01-02',
    'true',
    'Null',
    'x y',
    'x:y',
    'x #y',
    'é',
    '-',
    '1e3',
  );
  const value = fc.oneof(
    word,
    word.map((text) => `"${text}"`),
    word.map((text) => `'${text}'`),
    fc.array(word, { maxLength: 3 }).map((words) => `[${words.join(', ')}]`),
    fc.constantFrom('', '{}', '[]', '# c', '|', '*a', '{a: b}', '"', "''", '[a, ]', '[ "b" , c ]'),
  );
  const line = fc
    .record({
      indent: fc.nat({ max: 5 }),
      mark: fc.constantFrom('', '', '', '- ', '-  ', '#', '-'),
      key: fc.constantFrom('', 'a: ', 'b:', 'c: ', 'd:  ', 'e f: ', '"g": '),
      value,
      rest: fc.constantFrom('', '', '', ' ', ' # c', '#', ' ,'),
    })
    .map(({ indent, mark, key, value: text, rest }) => `${' '.repeat(indent)}${mark}${key}${text}${rest}`);
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 8 }), fc.constantFrom('\n', ''), (lines, end) => {
      isReadAlike(lines.join('\n') + end);
    }),
    { numRuns: 3_000 },
  );
});

test('plainTree() gives what the library gives for texts with little wrong', () => {
  const key = fc
    .constantFrom('title', 'stage', 'see-also', 'kep-number', 'reviewers', 'milestone')
    .map((name) => `${name}:`);
  const scalar = fc.constantFrom(
    'alpha',
    '"v1.2"',
    "'@ada'",
    '5',
    '2020-01-02',
    '[]',
    '["a", b]',
    'some words (here)',
    '',
  );
  const gap = fc.constantFrom('', '', '', '\n', '# c\n', '  # c\n', '\n\n');
  const entry = fc
    .tuple(
      key,
      fc.oneof(
        scalar.map((text) => ` ${text}\n`),
        nested(scalar, key),
      ),
      gap,
    )
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(
      fc.array(entry, { minLength: 1, maxLength: 6 }),
      fc.nat(),
      fc.constantFrom('', ' ', '\n', '#', '-', ':', 'x'),
      (entries, at, typed) => {
        const text = entries.join('');
        const place = at % (text.length + 1);
        isReadAlike(text);
        isReadAlike(text.slice(0, place) + typed + text.slice(place));
      },
    ),
    { numRuns: 3_000 },
  );
});

function nested(scalar: fc.Arbitrary<string>, key: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const list = fc
    .tuple(fc.constantFrom('', '  ', '    '), fc.array(scalar, { minLength: 1, maxLength: 3 }))
    .map(([indent, items]) => `\n${items.map((item) => `${indent}- ${item}\n`).join('')}`);
  const map = fc
    .array(fc.tuple(key, scalar), { minLength: 1, maxLength: 3 })
    .map((entries) => `\n${entries.map(([name, text]) => `  ${name} ${text}\n`).join('')}`);
  const gates = fc
    .array(fc.tuple(key, scalar), { minLength: 1, maxLength: 3 })
    .map((entries) => `\n${entries.map(([name, text], at) => `  ${at > 0 ? '  ' : '- '}${name} ${text}\n`).join('')}`);
  return fc.oneof(list, map, gates);
}
