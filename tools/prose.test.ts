import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { countPhrases, longSubjects, type Phrase, ratchetProblems, totalPhrases } from './prose.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const recordedIn = `${root}tools/prose-counts.json`;
const recorded: Record<string, number> = JSON.parse(readFileSync(recordedIn, 'utf8'));
const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 });

/** `tools/prose` contains the phrases, test data and templates are not our prose, `deploy` is generated. */
const notOurs = /^tools\/prose|^deploy\/|(?:^|\/)(?:testdata|templates)\//;
const written = ['ts', 'mjs', 'cjs', 'js', 'md', 'yaml', 'yml', 'sh', 'go', 'py'].map((extension) => `*.${extension}`);

function ourTexts(): string[] {
  return git('ls-files', '-co', '--exclude-standard', ...written)
    .trim()
    .split('\n')
    .filter((path) => !notOurs.test(path) && existsSync(`${root}${path}`))
    .map((path) => readFileSync(`${root}${path}`, 'utf8'));
}

/** Counts long commit subjects; counts nothing without the whole history: in a shallow clone or an unpacked archive. */
function countLongSubjects(): Record<string, number> {
  if (!existsSync(`${root}.git`) || git('rev-parse', '--is-shallow-repository').trim() === 'true') return {};
  const subjects = git('log', '--no-merges', '--format=%s').trim().split('\n');
  return { 'commit subject over 72 characters': longSubjects(subjects).length };
}

test.each<[Phrase, string, number]>([
  ['is no X', 'a name is no path; it is\n * no folder', 2],
  ['is no X', 'there is no file; it is no longer here, and is no more than a name', 0],
  ['for ever', 'For ever, and for\n// ever', 2],
  ['for ever', 'forever, and for every one', 0],
  ['somebody, nobody', 'Somebody told nobody, if anybody asks', 3],
  ['somebody, nobody', 'another writer', 0],
  ['function documented as What, How, Who or Where', '/** How it starts. */\nexport async function start() {}', 1],
  ['function documented as What, How, Who or Where', '/**\n * Where it is.\n * More.\n */\nexport function at() {}', 1],
  ['function documented as What, How, Who or Where', '/** How it is. */\nexport const at = 1;', 0],
  [
    'function documented as What, How, Who or Where',
    '/** How it is. */\nlet a;\n/** Starts. */\nexport function b() {}',
    0,
  ],
])('countPhrases() %s in %j: %i', (phrase, text, expected) => {
  expect(countPhrases(text)[phrase]).toBe(expected);
});

test('longSubjects() returns subjects of more than 72 characters', () => {
  const fits = 'x'.repeat(72);
  expect(longSubjects([fits, `${fits}y`, '\u{1f600}'.repeat(72)])).toEqual([`${fits}y`]);
});

test.each([
  [{ a: 2 }, { a: 2 }, []],
  [{ a: 2 }, { a: 3 }, ['a: 3, at most 2: write it in plain words']],
  [{ a: 2 }, { a: 1 }, []],
  [{}, { a: 1 }, ['a: 1, at most 0: write it in plain words']],
  [{ a: 2, b: 1 }, { a: 2 }, []],
])('ratchetProblems() of recorded %j and counted %j: %j', (record, counts, problems) => {
  expect(ratchetProblems(record, counts)).toEqual(problems);
});

test('counts of phrases to avoid do not rise; UPDATE_GOLDEN=1 lowers the record', () => {
  const counts: Record<string, number> = { ...totalPhrases(ourTexts()), ...countLongSubjects() };
  const lowered = Object.fromEntries(
    Object.entries(recorded).map(([phrase, limit]) => [phrase, Math.min(limit, counts[phrase] ?? limit)]),
  );
  if (process.env.UPDATE_GOLDEN) writeFileSync(recordedIn, `${JSON.stringify(lowered, undefined, 2)}\n`);
  expect(ratchetProblems(process.env.UPDATE_GOLDEN ? lowered : recorded, counts)).toEqual([]);
});

test('lines of the README wrap at 100 columns', () => {
  const long = readFileSync(`${root}README.md`, 'utf8')
    .split('\n')
    .flatMap((line, index) => (line.length > 100 ? [`README.md:${index + 1}: ${line.length} columns`] : []));
  expect(long).toEqual([]);
});
