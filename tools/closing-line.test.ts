import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { firstRun, secondRun } from './closing-line.js';
import { hasPart, needs, partOf } from './real-parts.js';

const root = fileURLToPath(new URL('..', import.meta.url));

const kubectl = 'needs kubectl';
const proposals = 'needs proposals of Kubernetes (missing: SLIPWAY_KEP_CORPUS)';

// what was skipped | whether real parts are required | failures that come of it | lines
const cases: [Record<string, number>, boolean, number, number][] = [
  [{}, true, 0, 0],
  [{ [kubectl]: 3 }, false, 0, 1],
  [{ [kubectl]: 3 }, true, 3, 1],
  [{ [kubectl]: 3, [proposals]: 2 }, true, 3, 2],
  [{ [proposals]: 2 }, true, 0, 1],
  [{ 'a.test.ts: some test': 1 }, true, 1, 1],
];

test.each(cases)('firstRun() with %j skipped and real parts required: %s', (skipped, required, failures, lines) => {
  const run = { passed: 7, failed: [], uncaught: 0, skipped: new Map(Object.entries(skipped)) };
  const { lost, skips } = firstRun(run, required);
  expect([lost, skips.length]).toEqual([failures, lines]);
});

test('firstRun() names the way out once for each reason', () => {
  const run = { passed: 1, failed: [], uncaught: 0, skipped: new Map([[kubectl, 68]]) };
  expect(firstRun(run, false).skips[0]).toMatch(/^skipped 68: needs kubectl\. To run: install kubectl/);
});

test('secondRun() counts what failed as it was found when tried again, and names what passed', () => {
  const first = { passed: 5, failed: ['a: races', 'b: is wrong', 'c: '], lost: 0, skips: ['skipped 2: more'] };
  const again = { passed: 9, failed: ['b: is wrong'], uncaught: 0, skipped: new Map() };
  expect(secondRun(first, again)).toEqual({
    passed: 7,
    failed: ['b: is wrong'],
    lost: 0,
    skips: ['passed when tried again: a: races', 'passed when tried again: c: ', 'skipped 2: more'],
  });
});

test('secondRun() mends no test that fails only in the second run, and no error outside all files', () => {
  const first = { passed: 5, failed: ['a: races'], lost: 1, skips: [] };
  const again = { passed: 1, failed: ['a: another'], uncaught: 1, skipped: new Map() };
  expect(secondRun(first, again)).toMatchObject({ passed: 6, failed: ['a: another'], lost: 2 });
});

test('needs() skips only where the part is missing, with a note that partOf() understands', () => {
  const notes: string[] = [];
  const skip = (note: string) => void notes.push(note);
  for (const name of ['kubectl', 'containerd', 'Chromium', 'QEMU', 'kpt', 'proposals of Kubernetes'] as const) {
    notes.length = 0;
    needs({ skip }, name);
    expect(notes).toHaveLength(hasPart(name) ? 0 : 1);
    for (const note of notes) expect(partOf(note)?.wayOut).toMatch(/\w/);
  }
});

test('no test is skipped without a note that says what it needs', () => {
  const files = execFileSync('git', ['ls-files', '*.test.ts'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
  const silent = /\b(?:test|it|describe)\b(?:\.\w+)*\.(?:skip|skipIf|runIf|todo)\b|\b(?:ctx|context)\.skip\(/;
  const skipping = files.filter((file) => silent.test(readFileSync(`${root}${file}`, 'utf8')));
  expect(skipping.filter((file) => file !== 'tools/closing-line.test.ts')).toEqual([]);
});
