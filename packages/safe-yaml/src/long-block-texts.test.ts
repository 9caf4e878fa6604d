import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseManifest } from './parse-manifest.js';
import { parseYaml } from './parse-yaml.js';

const long = (line: string) => line.repeat(Math.ceil((128 * 1024) / line.length));

const styles = fc.constantFrom('|', '>', '|-', '>-', '|+', '>+', '|2', '>2-', '| # why');
const someLine = fc.constantFrom(
  '  x',
  '  x y',
  '    deeper',
  '',
  ' ',
  '    ',
  '  \t',
  '  ~',
  '  ~~',
  '  # text',
  '  - a',
  '\t',
  '  é',
);
const someLines = fc.array(someLine, { maxLength: 3 }).map((lines) => lines.map((line) => `${line}\n`).join(''));
const evenLine = fc.constantFrom('  x\n', '  some words\n', '   x\n', '  x\n  y\n', '  x\r\n', '  x\n\n');

test('any long block text is read as the library reads it, whatever is before and behind it', () => {
  fc.assert(
    fc.property(styles, someLines, evenLine, someLines, fc.boolean(), (style, before, even, behind, more) => {
      const text = `a: ${style}\n${before}${long(even)}${behind}${more ? 'b:\n- |\n  z\n' : ''}`;
      expect(outcome(() => parseManifest(text).value)).toEqual(outcome(() => parseYaml(text)));
    }),
    { numRuns: 60 },
  );
});

/** The value, or what is wrong and where. */
function outcome(read: () => unknown): unknown {
  try {
    return { value: read() };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

// what | text
const places: [string, string][] = [
  ['in a list', `- |\n${long(' x\n')}`],
  ['of a whole document', `|\n${long(' x\n')}`],
  ['with an anchor, and its alias', `a: &a |\n${long('  x\n')}b: *a\n`],
  ['as a key', `? |\n${long('  x\n')}: 1\n`],
  ['before one that is cut off', `a: |\n${long('  x\n')}b: [\n`],
  ['before a key that is there twice', `a: |\n${long('  x\n')}b: 1\nb: 2\n`],
];
test.each(places)('a long block text %s', (_, text) => {
  const theirs = outcome(() => parseYaml(text));
  if (JSON.stringify(theirs).includes('unique'))
    expect(parseManifest(text).repeated).toEqual([{ key: 'b', line: text.split('\n').length - 1 }]);
  else expect(outcome(() => parseManifest(text).value)).toEqual(theirs);
});

test('a long text with a tag is what the tag makes of it', () => {
  const digits = `a: !!float |\n${long('  1\n')}`;
  expect(typeof (parseManifest(digits).value as { a: unknown }).a).toBe('string');
});

test('parseManifest() reads the first document only', () => {
  expect(parseManifest('a: 1\n---\nb: [\n').value).toEqual({ a: 1 });
});
