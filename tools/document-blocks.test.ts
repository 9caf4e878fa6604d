import { expect, test } from 'vitest';
import { blocksOf, commandsOf, holdsCommands } from './document-blocks.js';
import { showsOutput } from './document-output.js';

test('blocksOf() reads fenced and indented blocks, with their line and the reason why one is not run', () => {
  const text =
    '# A\n\n```sh\nls\n```\n\n- b\n\n  ```yaml\n  a: 1\n  ```\n\n    ls -l\n\n```sh not-run: needs a cloud\nrm\n```\n';
  expect(blocksOf(text)).toEqual([
    { line: 4, language: 'sh', text: 'ls\n' },
    { line: 10, language: 'yaml', text: 'a: 1\n' },
    { line: 16, language: 'sh', text: 'rm\n', notRun: 'needs a cloud' },
  ]);
  expect(blocksOf('Type:\n\n    ls -l\n')).toEqual([{ line: 3, language: '', text: 'ls -l\n' }]);
  expect(blocksOf(text).map(holdsCommands)).toEqual([true, false, true]);
});

test.each([
  [
    'sh',
    'ls\n# a comment\n\npwd\n',
    [
      { line: 1, text: 'ls' },
      { line: 4, text: 'pwd' },
    ],
  ],
  [
    'sh',
    'ls \\\n  -l\npwd\n',
    [
      { line: 1, text: 'ls \\\n  -l' },
      { line: 3, text: 'pwd' },
    ],
  ],
  [
    'console',
    '$ ls\na\n\nb\n$ pwd\n',
    [
      { line: 1, text: 'ls', output: 'a\n\nb\n' },
      { line: 5, text: 'pwd' },
    ],
  ],
  ['console', '$ ls \\\n> -l\nx \\\n', [{ line: 1, text: 'ls \\\n-l', output: 'x \\\n' }]],
])('commandsOf() a %s block %j', (language, text, commands) => {
  expect(commandsOf({ language, text, line: 1 })).toEqual(commands);
});

// printed | shown | whether it is what the document shows
test.each([
  ['a\nb\n', 'a\nb', true],
  ['a\nb\n', 'a', false],
  ['a\n', 'a\nb', false],
  ['a\nb\nc\n', '...\nc', true],
  ['a\nb\nc\n', 'a\n...', true],
  ['a\nb\nc\n', 'b\n...', false],
  ['c\n', '...\nc', true],
  ['a is b\n', 'a ... b', true],
  ['a is b and c\n', 'a ... and ...', true],
  ['a is b\n', 'a ... c', false],
  ['ab\n', 'ab...ab', false],
  ['NAME   AGE\nn1     12s\n', 'NAME  AGE\nn1    5m1s', true],
  ['n1  119m\n', 'n1  2h5m', true],
  ['n1  3750m\n', 'n1  2500m', false],
  ['up after 886 ms\n', 'up after 1,204 ms', true],
  ['n1 Ready 5\n', 'n1 Ready 6', false],
  ['n1 has 3 cpu\n', 'n1 has 4 cpu', false],
  ['at https://127.0.0.1:40123 (pid 7)\n', 'at https://127.0.0.1:6443 (pid 812)', true],
  ['web-7cc6d9b45f-kh9sm Running\n', 'web-5d4f8b6c9d-x2vbz Running', true],
  ['web-7cc6d9b45f-kh9sm Running\n', 'api-7cc6d9b45f-kh9sm Running', false],
  ['2026-11-25T16:05:15.583Z\n', '2027-01-01T00:00:00Z', true],
])('showsOutput() of %j, shown as %j: %s', (printed, shown, expected) => {
  expect(showsOutput(printed, shown)).toBe(expected);
});
