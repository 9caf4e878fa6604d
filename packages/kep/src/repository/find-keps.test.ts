import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { defaultConfig } from '../check/config.js';
import { testFolder } from '../testing/test-folder.js';
import { type FoundKep, findKeps, listForNumber } from './find-keps.js';
import { KepRepository } from './repository.js';

const folder = fc.constantFrom(
  'sig-node',
  '1-bells',
  '2-ropes',
  'bells',
  '3-kep-template',
  'prod-readiness',
  '.x',
  'README.md',
);
const file = fc.constantFrom('README.md', 'kep.yaml', 'link', 'other.md');
const place = fc.tuple(fc.array(folder, { minLength: 1, maxLength: 4 }), file);

test('findKeps() finds the same with a number where folders are listed for it', () => {
  const root = mkdtempSync(join(tmpdir(), 'slipway-find-'));
  let tree = 0;
  try {
    fc.assert(
      fc.property(fc.array(place, { maxLength: 8 }), (places) => {
        const keps = join(root, String(tree++));
        mkdirSync(keps);
        for (const [folders, name] of places) put(join(keps, ...folders), name);
        const layout = { root, keps };
        for (const wanted of [1, 2]) {
          const withNumber = (found: readonly FoundKep[]) => found.filter(({ number }) => Number(number) === wanted);
          const brief = findKeps(layout, keps, listForNumber(wanted));
          expect(withNumber(brief)).toEqual(withNumber(findKeps(layout, keps)));
        }
      }),
      { numRuns: 200 },
    );
  } finally {
    rmSync(root, { recursive: true });
  }
});

/** Puts a file, or a link in the place of a README, where nothing else is yet. */
function put(at: string, name: string): void {
  try {
    mkdirSync(at, { recursive: true });
    if (name === 'link') symlinkSync('/dev/null', join(at, 'README.md'));
    else writeFileSync(join(at, name), '');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
}

test('sameNumber() finds the proposals with each of several numbers', () => {
  const root = testFolder();
  const keps = join(root, 'keps');
  for (const path of ['sig-a/1-bells', 'sig-b/0001-ropes', 'sig-b/2-ropes', 'sig-b/notes/3-more'])
    put(join(keps, ...path.split('/')), 'README.md');
  const found = ['1', '2', '3', '4', '1'];
  const expected = [
    ['keps/sig-a/1-bells', 'keps/sig-b/0001-ropes'],
    ['keps/sig-b/2-ropes'],
    ['keps/sig-b/notes/3-more'],
    [],
    ['keps/sig-a/1-bells', 'keps/sig-b/0001-ropes'],
  ];
  for (const isListed of [false, true]) {
    const repository = new KepRepository({ root, keps }, defaultConfig);
    if (isListed) repository.keps();
    expect(found.map((number) => repository.sameNumber(number))).toEqual(expected);
  }
});
