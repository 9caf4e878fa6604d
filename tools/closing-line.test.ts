import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { closingLines } from './closing-line.js';
import { hasPart, needs, partOf } from './real-parts.js';

const root = fileURLToPath(new URL('..', import.meta.url));

const kubectl = 'needs kubectl';
const proposals = 'needs proposals of Kubernetes (missing: SLIPWAY_KEP_CORPUS)';

// what was skipped | whether real parts are required | the last line | number of lines
const cases: [Record<string, number>, boolean, string, number][] = [
  [{}, true, '7 passed, 0 failed', 1],
  [{ [kubectl]: 3 }, false, '7 passed, 0 failed', 2],
  [{ [kubectl]: 3 }, true, '7 passed, 3 failed', 2],
  [{ [kubectl]: 3, [proposals]: 2 }, true, '7 passed, 3 failed', 3],
  [{ [proposals]: 2 }, true, '7 passed, 0 failed', 2],
  [{ 'a.test.ts: some test': 1 }, true, '7 passed, 1 failed', 2],
];

test.each(cases)('closingLines() with %j skipped and real parts required: %s', (skipped, required, last, count) => {
  const run = { passed: 7, failed: 0, skipped: new Map(Object.entries(skipped)), flaky: [] };
  const { lines } = closingLines(run, required);
  expect(lines).toHaveLength(count);
  expect(lines.at(-1)).toBe(last);
});

test('closingLines() names the way out once for each reason', () => {
  const run = { passed: 1, failed: 0, skipped: new Map([[kubectl, 68]]), flaky: [] };
  expect(closingLines(run, false).lines[0]).toMatch(/^skipped 68: needs kubectl\. To run: install kubectl/);
});

test('closingLines() names each test that passed only when tried again', () => {
  const run = { passed: 2, failed: 0, skipped: new Map(), flaky: ['a.test.ts: it races'] };
  expect(closingLines(run, true)).toEqual({
    lines: ['passed when tried again: a.test.ts: it races', '2 passed, 0 failed'],
    failed: 0,
  });
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
