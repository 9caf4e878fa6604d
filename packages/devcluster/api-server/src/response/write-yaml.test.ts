import { parseYaml } from '@slipway/safe-yaml';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { writeYaml, writingYaml } from './write-yaml.js';

// value | text
const cases: [unknown, string][] = [
  [{ b: 1, a: [{ x: 'y', w: [] }, 'z'], c: {} }, 'a:\n- w: []\n  x: "y"\n- z\nb: 1\nc: {}\n'],
  [{ a: null, b: true, c: 1.5 }, 'a: null\nb: true\nc: 1.5\n'],
  [{ k10: 0, k9: 0, 'k-a': 0, ka: 0 }, 'k-a: 0\nk9: 0\nk10: 0\nka: 0\n'],
  [
    { a: 'true', b: '1', c: '', d: '2020-01-01T00:00:00Z', e: '1:30' },
    'a: "true"\nb: "1"\nc: ""\nd: "2020-01-01T00:00:00Z"\ne: "1:30"\n',
  ],
  [{ a: "it's", b: '- x', c: 'a: b', d: '#x', e: ' x' }, "a: it's\nb: '- x'\nc: 'a: b'\nd: '#x'\ne: ' x'\n"],
  [{ a: 'one\ntwo', b: 'one\n', c: 'one\n\n' }, 'a: |-\n  one\n  two\nb: |\n  one\nc: |+\n  one\n\n'],
  [{ a: [['b', 'c']] }, 'a:\n- - b\n  - c\n'],
  [{ a: `${'word '.repeat(20)}end` }, `a: ${'word '.repeat(16).trimEnd()}\n  ${'word '.repeat(4)}end\n`],
];

test.each(cases)('writeYaml(%j)', (value, text) => {
  expect(writeYaml(value)).toBe(text);
});

test('what writeYaml() writes is read back as the same value', () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: fc.constantFrom('a', ' ', '\n', ':', '#', '-', "'", '"', '\\', '\t', '1', 'é') }),
    fc.constantFrom('yes', 'null', '0x1f', '1e3', '.inf', '---', '~', '=', '12:30', '2020-01-01'),
  );
  const value = fc.letrec((tie) => ({
    any: fc.oneof({ depthSize: 'small' }, text, fc.integer(), fc.boolean(), fc.constant(null), tie('list'), tie('map')),
    list: fc.array(tie('any'), { maxLength: 4 }),
    map: fc.dictionary(text, tie('any'), { maxKeys: 4, noNullPrototype: true }),
  })).map;
  fc.assert(
    fc.property(value, (map) => {
      expect(parseYaml(writeYaml(map))).toEqual(map);
    }),
    { numRuns: 300 },
  );
});

test('writingYaml() yields in the middle of an object of many fields', () => {
  const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`k${index}`, 'v']));
  expect([...writingYaml(many)].length).toBeGreaterThanOrEqual(19);
});

test.each([
  ['a😀b', 'a😁a', -1],
  ['a1', 'a😀', 1],
  ['é', 'z', 1],
  ['z9', 'z10', -1],
  ['z', 'z1', -1],
])('writeYaml() orders %s and %s', (first, second, order) => {
  const written = writeYaml({ [second]: 1, [first]: 1 });
  expect(Math.sign(written.indexOf(`${first}:`) - written.indexOf(`${second}:`))).toBe(order);
});
