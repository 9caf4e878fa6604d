import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { countPhrases, longSubjects, type Phrase, totalPhrases } from './prose.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const recordedIn = `${root}tools/prose-counts.json`;
const recorded: Record<Phrase, number> = JSON.parse(readFileSync(recordedIn, 'utf8'));
const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 });

/** Long subjects that history has. It is not rewritten, so the number stays; a commit that adds one is amended. */
const longSubjectsInHistory = 60;

/** The phrases themselves stand here, and in data that other people wrote. */
const notOurs = /^tools\/prose|(?:^|\/)(?:testdata|templates)\//;

function ourTexts(): string[] {
  return git('ls-files', '-co', '--exclude-standard', '*.ts', '*.mjs', '*.md')
    .trim()
    .split('\n')
    .filter((path) => !notOurs.test(path) && existsSync(`${root}${path}`))
    .map((path) => readFileSync(`${root}${path}`, 'utf8'));
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

test('no phrase to avoid becomes more frequent; UPDATE_GOLDEN=1 records lower counts', () => {
  const counts = totalPhrases(ourTexts());
  const lowest = Object.fromEntries(
    Object.entries(counts).map(([phrase, count]) => [phrase, Math.min(count, recorded[phrase as Phrase])]),
  );
  if (process.env.UPDATE_GOLDEN) writeFileSync(recordedIn, `${JSON.stringify(lowest, undefined, 2)}\n`);
  const risen = Object.entries(counts).filter(([phrase, count]) => !(count <= recorded[phrase as Phrase]));
  expect(risen.map(([phrase, count]) => `${phrase}: ${count}, at most ${recorded[phrase as Phrase]}`)).toEqual([]);
});

test('no commit adds a subject of more than 72 characters', () => {
  const subjects = git('log', '--no-merges', '--format=%s').trim().split('\n');
  const long = longSubjects(subjects);
  expect(long.length, long.slice(0, long.length - longSubjectsInHistory).join('\n')).toBeLessThanOrEqual(
    longSubjectsInHistory,
  );
});

test('lines of the README wrap at 100 columns', () => {
  const long = readFileSync(`${root}README.md`, 'utf8')
    .split('\n')
    .flatMap((line, index) => (line.length > 100 ? [`README.md:${index + 1}: ${line.length} columns`] : []));
  expect(long).toEqual([]);
});
