import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { StepClock } from '../testing/step-clock.js';
import { testFolder } from '../testing/test-folder.js';
import type { JournalEntry } from './journal-entry.js';
import { PullJournal } from './pull-journal.js';
import { readJournal } from './read-journal.js';

let folder: string;
beforeEach(() => {
  folder = testFolder();
});

const entry = (image: string): JournalEntry => ({
  askedAt: '2026-01-01T00:00:00.000Z',
  image,
  registry: 'r.example',
  key: '0123abcd',
  pods: ['shop/web'],
  callers: 1,
  waitedMs: 5,
  pulledMs: 10,
  bytes: 100,
  layers: 1,
  outcome: 'ok',
  limit: 2,
});

function journal(dir = folder, sizeBytes = 1 << 20) {
  const clock = new StepClock();
  const problems: string[] = [];
  const opened = new PullJournal({ dir, sizeBytes, clock, onProblem: (message) => problems.push(message) });
  return { clock, problems, opened };
}
const imagesOf = () => readJournal(folder).entries.map(({ image }) => image);

test('PullJournal keeps entries in order, for its owner only, across restarts', async () => {
  const first = journal();
  for (const image of ['a', 'b']) first.opened.append(entry(image));
  await first.opened.close();
  const second = journal();
  second.opened.append(entry('c'));
  await second.opened.close();
  expect(readJournal(folder)).toEqual({ entries: ['a', 'b', 'c'].map(entry), unreadable: 0 });
  expect(statSync(join(folder, 'pulls.ndjson')).mode & 0o777).toBe(0o600);
});

test('a line that a crash cut off costs nothing but itself', async () => {
  const first = journal();
  first.opened.append(entry('a'));
  await first.opened.close();
  appendFileSync(join(folder, 'pulls.ndjson'), JSON.stringify(entry('b')).slice(0, 40));
  const second = journal();
  second.opened.append(entry('c'));
  await second.opened.close();
  expect(readJournal(folder)).toEqual({ entries: [entry('a'), entry('c')], unreadable: 1 });
});

test('four files take turns, and together keep to the size', async () => {
  const line = JSON.stringify(entry('image-00')).length + 1;
  const { opened } = journal(folder, 40 * line);
  for (let at = 0; at < 100; at += 1) {
    opened.append(entry(`image-${String(at).padStart(2, '0')}`));
    await opened.close();
  }
  const files = readdirSync(folder).sort();
  expect(files).toEqual(['pulls.1.ndjson', 'pulls.2.ndjson', 'pulls.3.ndjson', 'pulls.ndjson']);
  const bytes = files.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
  expect(bytes).toBeLessThanOrEqual(44 * line);
  const kept = imagesOf();
  expect(kept).toEqual([...kept].sort());
  expect(kept.at(-1)).toBe('image-99');
});

test('a journal that cannot be written says so once, is tried again after a minute, and never throws', async () => {
  const dir = join(folder, 'journal');
  const { opened, problems, clock } = journal(dir);
  rmSync(dir, { recursive: true });
  writeFileSync(dir, 'another program’s');
  for (const image of ['a', 'b']) {
    opened.append(entry(image));
    await opened.close();
  }
  expect(problems).toHaveLength(1);
  rmSync(dir);
  await clock.advance(60_000);
  mkdirSync(dir);
  opened.append(entry('c'));
  await opened.close();
  expect(readFileSync(join(dir, 'pulls.ndjson'), 'utf8').trim()).toBe(JSON.stringify(entry('c')));
});

test('readJournal() skips what is not an entry', () => {
  const lines = [
    JSON.stringify(entry('a')),
    '[]',
    '{"image":"b"}',
    'null',
    JSON.stringify({ ...entry('c'), askedAt: 'noon' }),
  ];
  writeFileSync(join(folder, 'some.ndjson'), lines.join('\n'));
  expect(readJournal(join(folder, 'some.ndjson'))).toEqual({ entries: [entry('a')], unreadable: 4 });
  expect(readJournal(folder)).toEqual({ entries: [], unreadable: 0 });
});
