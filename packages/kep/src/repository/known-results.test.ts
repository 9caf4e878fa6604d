import { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { defaultConfig } from '../check/config.js';
import { testFolder } from '../testing/test-folder.js';
import { layoutOf } from './find-keps.js';
import { KnownResults } from './known-results.js';
import { KepRepository } from './repository.js';

let root: string;
beforeEach(() => {
  root = testFolder();
});

/** Later than the system's clock, because a file that has just changed is read again in any case. */
const later = () => Date.now() + 60_000;

function write(folder: string, title: string): void {
  const path = join(root, 'keps/sig-a', folder);
  mkdirSync(path, { recursive: true });
  const number = Number.parseInt(folder, 10);
  writeFileSync(
    join(path, 'kep.yaml'),
    `title: ${title}\nkep-number: ${number}\nowning-sig: sig-a\nstatus: provisional\n`,
  );
  writeFileSync(join(path, 'README.md'), `# KEP-${number}: ${title}\n\n## Summary\n\nText.\n`);
}

function round(known: KnownResults<string>): readonly string[] {
  const layout = layoutOf(root);
  if (!layout) throw new Error('no layout');
  const repository = new KepRepository(layout, defaultConfig);
  const work = (found: ReturnType<typeof repository.keps>[number]) => {
    const kep = repository.load(found);
    const facts = repository.facts(kep);
    const twice = repository.check(facts, kep).filter(({ message }) => /number/.test(message)).length;
    return `${kep.yaml?.one('title')?.value}${twice > 0 ? ' twice' : ''}`;
  };
  return [...known.all(repository, work, later())].map(({ result, isNew }) => `${result}${isNew ? ' (read)' : ''}`);
}

test('KnownResults reads a proposal again when one of its files has changed, and no other', () => {
  write('1-a', 'One');
  write('2-b', 'Two');
  const known = new KnownResults<string>();
  expect(round(known)).toEqual(['One (read)', 'Two (read)']);
  expect(round(known)).toEqual(['One', 'Two']);
  write('2-b', 'Other');
  expect(round(known)).toEqual(['One', 'Other (read)']);
  const soon = new Date(Date.now() + 5_000);
  utimesSync(join(root, 'keps/sig-a/1-a/README.md'), soon, soon);
  expect(round(known)).toEqual(['One (read)', 'Other']);
  rmSync(join(root, 'keps/sig-a/1-a'), { recursive: true });
  expect(round(known)).toEqual(['Other']);
});

test('KnownResults reads a proposal again when another one takes its number', () => {
  write('1-a', 'One');
  write('2-b', 'Two');
  const known = new KnownResults<string>();
  round(known);
  renameSync(join(root, 'keps/sig-a/2-b'), join(root, 'keps/sig-a/1-b'));
  expect(round(known)[0]).toBe('One twice (read)');
});
