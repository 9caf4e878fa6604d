import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseAllYaml, parseYaml } from './parse-yaml.js';
import { toYaml } from './to-yaml.js';
import { YamlError } from './yaml-error.js';

function refusalOf(text: string): YamlError {
  try {
    parseYaml(text);
  } catch (error) {
    if (error instanceof YamlError) return error;
    throw error;
  }
  throw new Error('the text was taken');
}

const deep = 10_000;
const indented = (line: (indent: string) => string, levels = deep) =>
  Array.from({ length: levels }, (_, level) => line(' '.repeat(level))).join('\n');

// what is nested | text | line of the error | column
const tooDeep: [string, string, number, number][] = [
  ['flow lists', '['.repeat(deep) + ']'.repeat(deep), 1, 201],
  ['flow lists left open', `a:\n  b: ${'['.repeat(deep)}`, 2, 204],
  ['flow mappings', '{a: '.repeat(deep) + '}'.repeat(deep), 1, 801],
  ['JSON', `${'{"a":'.repeat(deep)}1${'}'.repeat(deep)}`, 1, 1001],
  ['JSON over lines', `${'{"a":\n'.repeat(deep)}1${'}'.repeat(deep)}`, 201, 1],
  ['block mappings', indented((indent) => `${indent}a:`), 201, 201],
  ['block lists', indented((indent) => `${indent}-`), 201, 201],
  ['lists on one line', `${'- '.repeat(deep)}x`, 1, 401],
  ['explicit keys', `${'? '.repeat(deep)}x`, 1, 401],
  ['lists at the column of their mapping', `a:\n${indented((indent) => `${indent}${indent}- a:`, 300)}`, 101, 201],
  ['mappings after a text that looks like a block scalar', `a: "|"\n${indented((indent) => `${indent}b:`)}`, 202, 201],
  ['flow lists after a quoted text over lines', `a: "x\n\n  [y"\nb: ${'['.repeat(deep)}`, 4, 203],
  ['flow lists after a comment with a quote', `a: b # it's\nc: ${'['.repeat(deep)}`, 2, 203],
  ['flow lists after a document marker', `a: |\n  x\n--- ${'['.repeat(deep)}`, 3, 205],
];

test.each(tooDeep)('parseYaml() refuses %s nested 10,000 deep', (_, text, line, column) => {
  const { problem, ...at } = refusalOf(text);
  expect({ problem, line: at.line, column: at.column }).toEqual({
    problem: 'nested more than 200 levels deep',
    line,
    column,
  });
});

test('parseYaml() says so too when the text is not valid YAML and deep', () => {
  const text = `plain text\n${indented((indent) => ` ${indent}a:`, 3000)}`;
  expect(refusalOf(text).problem).toMatch(/nested|Nested mappings|Implicit/);
});

// text of a block scalar, a plain or a quoted text may hold any number of brackets
const notDeep: [string, string, unknown][] = [
  [
    'block scalar',
    `a: |\n  ${'[{'.repeat(500)}\n\n  ${'- '.repeat(300)}x\nb: 1`,
    { a: `${'[{'.repeat(500)}\n\n${'- '.repeat(300)}x\n`, b: 1 },
  ],
  ['folded scalar in a list', `- >-\n ${'['.repeat(500)}\n- b`, ['['.repeat(500), 'b']],
  ['plain text', `a: x ${'['.repeat(500)}\nb: 1`, { a: `x ${'['.repeat(500)}`, b: 1 }],
  ['plain text over lines', `a: x\n  ${'['.repeat(500)}\nb: 1`, { a: `x ${'['.repeat(500)}`, b: 1 }],
  ['quoted text', `a: '${'['.repeat(500)}'\nb: "${'{\\"'.repeat(500)}"`, { a: '['.repeat(500), b: '{"'.repeat(500) }],
  ['comment', `a: 1 # ${'['.repeat(500)}`, { a: 1 }],
  [
    'many siblings',
    'a: [[], [], []]\n'.repeat(1) + Array.from({ length: 300 }, (_, i) => `k${i}: {x: []}`).join('\n'),
    undefined,
  ],
  ['document that is a block scalar', `--- |\n ${'['.repeat(500)}`, `${'['.repeat(500)}\n`],
  ['flow plain text with quotes', `[it's, ${'a"b'.repeat(500)}]`, ["it's", 'a"b'.repeat(500)]],
];

test.each(notDeep)('parseYaml() counts no brackets in a %s', (_, text, expected) => {
  const value = parseYaml(text);
  if (expected !== undefined) expect(value).toEqual(expected);
});

test('parseYaml() names line and column of what is wrong', () => {
  expect(refusalOf('a: 1\nb: [1, 2\nc: 3\n')).toMatchObject({ line: 3, name: 'YamlError' });
  expect(refusalOf('a: 1\na: 2\n')).toMatchObject({
    line: 2,
    column: 1,
    message: 'line 2, column 1: Map keys must be unique',
  });
  expect(refusalOf('a: 1\n---\nb: 2\n')).toMatchObject({ problem: 'there is more than one document' });
  expect(refusalOf('{"a": 1,\n"b" 2}')).toMatchObject({ line: 2 });
});

test('parseYaml() refuses alias bombs, merge keys and unknown anchors', () => {
  const bomb = [
    'a0: &a0 [x]',
    ...Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(9)}]`),
  ];
  expect(refusalOf(bomb.join('\n')).problem).toMatch(/^aliases: Excessive alias count/);
  expect(refusalOf(`a: &a x\nb: [${'*a,'.repeat(101)}]`)).toMatchObject({ line: 2, problem: 'more than 100 aliases' });
  expect(refusalOf('a: &a {x: 1}\nb:\n  <<: *a')).toMatchObject({ line: 3, column: 3 });
  expect(refusalOf('a: &a {x: 1}\nb: {<<: *a}').problem).toMatch(/^merge keys/);
  expect(refusalOf('a: *nobody').message).toMatch(/nobody/);
  expect(parseYaml('a: &a {x: 1}\nb: *a')).toEqual({ a: { x: 1 }, b: { x: 1 } });
});

// what | text with more than fifty of them
const counted: [string, string][] = [
  ['lines of comments', '#\n'.repeat(51)],
  ['keys', Array.from({ length: 51 }, (_, index) => `k${index}: v`).join('\n')],
  ['elements on one line', `[${'a,'.repeat(51)}]`],
  ['documents', '---\n'.repeat(51)],
];

test.each(counted)('parseYaml() takes so many %s and no more', (_, text) => {
  expect(() => parseAllYaml(text, { maxNodes: 50 })).toThrow('more than 50 keys, elements and lines');
  expect(() => parseAllYaml(text, { maxNodes: 200 })).not.toThrow();
});

test('lines of a text count as one', () => {
  expect(parseYaml(`a: |\n${'  x\n'.repeat(99)}`, { maxNodes: 50 })).toEqual({ a: 'x\n'.repeat(99) });
});

test('parseYaml() takes __proto__ for a key like any other', () => {
  for (const text of ['__proto__: {polluted: 1}', '{"__proto__": {"polluted": 1}}', '{__proto__: {polluted: 1}}']) {
    const value = parseYaml(text) as Record<string, unknown>;
    expect(Object.keys(value)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(value.polluted).toBeUndefined();
  }
});

test('parseYaml() refuses text above its size limit', () => {
  expect(() => parseYaml('ä'.repeat(6), { maxBytes: 11 })).toThrow('larger than 11 bytes');
  expect(parseYaml('ä'.repeat(6), { maxBytes: 12 })).toBe('ääääää');
});

// text | documents
const streams: [string, unknown[]][] = [
  ['', []],
  ['# nothing\n', []],
  ['a: 1\n---\nb: 2\n', [{ a: 1 }, { b: 2 }]],
  ['---\na: 1\n---\n# only a comment\n---\n\n---\nb: 2\n...\n', [{ a: 1 }, { b: 2 }]],
  ['{"a": 1}', [{ a: 1 }]],
  ['{"a": 1}\n---\n[2]', [{ a: 1 }, [2]]],
  ['a: 1\r\nb:\r\n  - x\r\n', [{ a: 1, b: ['x'] }]],
  ['%YAML 1.2\n---\na: yes', [{ a: 'yes' }]],
  ['\uFEFFa: 1', [{ a: 1 }]],
  ['8080: x\ntrue: y', [{ 8080: 'x', true: 'y' }]],
];

test.each(streams)('parseAllYaml(%j) gives the documents that hold something', (text, documents) => {
  expect(parseAllYaml(text)).toEqual(documents);
});

test('parseYaml() of an empty text is null', () => {
  expect(parseYaml('')).toBeNull();
  expect(parseYaml('null')).toBeNull();
});

test('toYaml() quotes what other readers would take for something else', () => {
  expect(toYaml({ a: 'on', b: '0644', c: '1', d: true, e: 'plain', f: undefined })).toBe(
    'a: "on"\nb: "0644"\nc: "1"\nd: true\ne: plain\n',
  );
});

test('what toYaml() writes, parseYaml() reads back, and the guard never stands in the way', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      const plain = JSON.parse(JSON.stringify(value));
      expect(parseYaml(toYaml(plain))).toEqual(plain);
    }),
    { numRuns: 300 },
  );
});

test('parseYaml() answers any text with a value or a YamlError', () => {
  const text = fc.array(
    fc.constantFrom(
      'a',
      ': ',
      '- ',
      '\n',
      '  ',
      '[',
      ']',
      '{',
      '}',
      '"',
      "'",
      '|',
      '#',
      '&x ',
      '*x',
      ',',
      '? ',
      '---',
      '%',
      '!t ',
    ),
    {
      maxLength: 40,
    },
  );
  fc.assert(
    fc.property(text, (parts) => {
      try {
        parseAllYaml(parts.join(''));
      } catch (error) {
        expect(error).toBeInstanceOf(YamlError);
      }
    }),
    { numRuns: 1000 },
  );
});
