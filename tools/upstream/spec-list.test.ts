import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { groupsOf, resultOf } from './run-specs.mjs';
import { chooseSpecs, compareWithList, readExceptions } from './spec-list.mjs';

const list = readExceptions(`# Specs of e2e.test
## cannot pass: a server has to run in a container
[sig-a] serves

## takes minutes: waits for a schedule
[sig-b] waits [Slow]
`);

test('readExceptions() has specs below their reason', () => {
  expect(list).toEqual([
    { kind: 'cannot pass', reason: 'a server has to run in a container', specs: ['[sig-a] serves'] },
    { kind: 'takes minutes', reason: 'waits for a schedule', specs: ['[sig-b] waits [Slow]'] },
  ]);
  expect(() => readExceptions('[sig-a] serves')).toThrow('line 1 is not below a heading');
  expect(() => readExceptions('## cannot pass: x\na\na')).toThrow('line 3 is listed before: a');
});

test('the list can be read, and says why', () => {
  const all = readExceptions(readFileSync(new URL('exceptions.txt', import.meta.url), 'utf8'));
  expect(all.filter(({ specs }) => specs.length === 0)).toEqual([]);
});

const names = ['[sig-a] serves', '[sig-b] waits [Slow]', '[sig-c] runs', '[sig-d] drains [Serial]'];

test.each([
  [{ all: false, quick: false }, ['[sig-b] waits [Slow]', '[sig-c] runs']],
  [{ all: false, quick: true }, ['[sig-c] runs']],
  [{ all: true, quick: false }, ['[sig-a] serves', '[sig-b] waits [Slow]', '[sig-c] runs']],
])('chooseSpecs() with %j', (how, together) => {
  expect(chooseSpecs(names, list, how)).toEqual({ together, alone: ['[sig-d] drains [Serial]'] });
});

test('compareWithList() finds what fails, what passes though it is listed, and what is not a spec', () => {
  const result = (name: string, state: 'passed' | 'failed' | 'skipped' | 'lost') => ({
    name,
    state,
    seconds: 1,
    why: '',
  });
  const results = [
    result('[sig-a] serves', 'passed'),
    result('[sig-c] runs', 'failed'),
    result('[sig-d] drains [Serial]', 'lost'),
    result('[sig-e] other', 'skipped'),
  ];
  expect(compareWithList(names.slice(1), results, list)).toEqual({
    passed: 1,
    skipped: 1,
    unexpected: [results[1], results[2]],
    better: ['[sig-a] serves'],
    unknown: ['[sig-a] serves'],
  });
});

// what the suite reports of a spec | what that means
test.each([
  [undefined, 'lost'],
  [{ State: 'passed' }, 'passed'],
  [{ State: 'failed', Failure: { Message: 'expected' } }, 'failed'],
  [{ State: 'timedout', Failure: { Message: 'A suite timeout occurred' } }, 'lost'],
  [{ State: 'panicked' }, 'failed'],
  [{ State: 'skipped' }, 'lost'],
  [{ State: 'skipped', Failure: { Message: 'only on Windows' } }, 'skipped'],
])('resultOf(%j)', (report, state) => {
  const rest = { LeafNodeType: 'It', LeafNodeText: 'x', ContainerHierarchyTexts: [], RunTime: 2e9 };
  expect(resultOf('x', report && { ...rest, ...report }, false)).toMatchObject({ state });
});

test('resultOf() blames a spec that had all the patience for itself', () => {
  const report = {
    LeafNodeType: 'It',
    LeafNodeText: 'x',
    ContainerHierarchyTexts: [],
    RunTime: 2e9,
    State: 'timedout',
  };
  expect(resultOf('x', report, true)).toMatchObject({ state: 'failed' });
});

test('groupsOf() has each spec once, in groups of at most that size', () => {
  const all = Array.from({ length: 11 }, (_, index) => `${index}`);
  const groups = groupsOf(all, 3);
  expect(Math.max(...groups.map(({ length }) => length))).toBeLessThanOrEqual(3);
  expect(groups.flat().sort()).toEqual([...all].sort());
});
