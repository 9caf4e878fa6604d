import { expect, test } from 'vitest';
import { differences, partDifferences } from './differences.js';
import { fillIn } from './play-scenario.js';
import { refusalIn, requestsIn, wordsOf } from './runners/kubectl-runner.js';
import type { Expectation } from './scenario.js';

// part | actual | where it lacks something
const parts: [unknown, unknown, string[]][] = [
  [{ a: 1 }, { a: 1, b: 2 }, []],
  [{ a: { b: '~^x' } }, { a: { b: 'xyz' } }, []],
  [{ a: { b: '~^x' } }, { a: { b: 'yz' } }, ['at.a.b: expected "~^x", got "yz"']],
  [{ a: null }, {}, []],
  [{ a: null }, { a: 0 }, ['at.a: expected null, got 0']],
  [[{ a: 1 }], [{ a: 1 }, { a: 2 }], ['at: expected [{"a":1}], got [{"a":1},{"a":2}]']],
  [[{ a: 1 }, { a: 3 }], [{ a: 1 }, { a: 2 }], ['at[1].a: expected 3, got 2']],
  [{ a: 1 }, undefined, ['at: expected {"a":1}, got nothing']],
  ['1', 1, ['at: expected "1", got 1']],
];

test.each(parts)('partDifferences(%j) of %j', (part, actual, found) => {
  expect(partDifferences('at', part, actual)).toEqual(found);
});

test('differences() looks at all that is expected', () => {
  const answer = { exit: 1, stdout: '{"a":1}', stderr: 'one\ntwo\n', refused: { reason: 'Conflict', message: 'no' } };
  const holds = { exit: 1, stdout: { json: { a: 1 } }, stderr: { matches: '^two$' }, refused: { reason: 'Conflict' } };
  expect(differences({ source: 's', ...holds }, answer)).toEqual([]);
  const fails: Partial<Expectation> = {
    exit: 0,
    stdout: 'x',
    stderr: { contains: ['one', 'three'] },
    refused: { reason: 'Conflict', message: 'yes' },
  };
  expect(differences({ source: 's', ...fails }, answer)).toEqual([
    'exit: expected 0, got 1',
    'stdout: expected "x", got "{\\"a\\":1}"',
    'stderr: expected "three", got "one\\ntwo\\n"',
    'message: expected "yes", got "no"',
  ]);
});

test('fillIn() puts values everywhere and leaves other braces alone', () => {
  const named = (name: string) => `$\{${name}}`;
  expect(fillIn({ a: [`${named('ns')}-x`, { b: `${named('other')} {.spec}` }], c: 3 }, { ns: 'n' })).toEqual({
    a: ['n-x', { b: `${named('other')} {.spec}` }],
    c: 3,
  });
});

test('wordsOf() keeps together what is in quotes', () => {
  expect(wordsOf("create cronjob c '--schedule=0 0 1 1 *' -p '{\"a\": 1}'")).toEqual([
    'create',
    'cronjob',
    'c',
    '--schedule=0 0 1 1 *',
    '-p',
    '{"a": 1}',
  ]);
});

// stderr of kubectl | reason
const refusals: [string, string][] = [
  ['Warning: old\nError from server (NotFound): pods "x" not found\n', 'NotFound'],
  ['The Service "s" is invalid: spec: Required value\n', 'Invalid'],
  ['error: Apply failed with 1 conflict: conflict with "a": .data\n', 'Conflict'],
  ['error: something else\n', 'Unknown'],
];

test.each(refusals)('refusalIn() reads %j', (stderr, reason) => {
  expect(refusalIn(stderr).reason).toBe(reason);
});

test('requestsIn() counts what kubectl tells of, in the words of each version', () => {
  const old = 'I1 2 round_trippers.go:553] GET https://127.0.0.1/api?timeout=32s 200 OK in 3 milliseconds\n';
  const newer = 'I1 2 round_trippers.go:632] "Response" verb="GET" url="https://127.0.0.1/api" status="200 OK"\n';
  expect(requestsIn(`${old}${old}other\n`)).toBe(2);
  expect(requestsIn(`${newer}other\n`)).toBe(1);
});
