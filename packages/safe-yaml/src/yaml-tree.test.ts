import { expect, test } from 'vitest';
import { parseYamlTree } from './yaml-tree.js';

test('parseYamlTree() gives every value with its place and as it is written', () => {
  const text = 'number: 0127 # as typed\nlist:\n  - "a"\n  - b\nempty:\n';
  const { root, problems } = parseYamlTree(text);
  expect(problems).toEqual([]);
  if (root?.kind !== 'map') throw new Error('no map');
  const [number, list, empty] = root.entries;
  expect(number?.value).toMatchObject({ source: '0127' });
  expect(text.slice(number?.value.start, number?.value.end)).toBe('0127');
  if (list?.value.kind !== 'list') throw new Error('no list');
  expect(list.value.items.map(({ start, end }) => text.slice(start, end))).toEqual(['"a"', 'b']);
  expect(empty?.value).toMatchObject({ value: null, source: '' });
});

// text | problems
test.each<[string, RegExp[]]>([
  ['a: 1\na: 2\n', [/^line 2, column 1: Map keys must be unique/]],
  ['a: 1\n---\nb: 2\n', [/more than one document/]],
  ['['.repeat(5_000), [/nested more than 200 levels/]],
  ['a: [1\n', [/line 2/]],
  ['', []],
])('parseYamlTree(%#) lists what is wrong and never throws', (text, problems) => {
  const found = parseYamlTree(text).problems;
  expect(found.length).toBeGreaterThanOrEqual(problems.length);
  problems.forEach((problem, at) => {
    expect(found[at]?.message).toMatch(problem);
  });
});

test.each([
  ['a: b\n', { maxBytes: 4 }, /larger than 4 bytes/],
  ['a:\n  b:\n    c: d\n', { maxDepth: 2 }, /more than 2 levels/],
  ['a: b\nc: d\n', { maxNodes: 1 }, /more than 1 keys/],
])('parseYamlTree(%j) keeps to %j', (text, limits, problem) => {
  expect(parseYamlTree(text, limits).problems[0]?.message).toMatch(problem);
});
