import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findKeps, listBriefly } from './find-keps.js';

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

test('findKeps() finds the same where folders are listed briefly', () => {
  const root = mkdtempSync(join(tmpdir(), 'slipway-find-'));
  let tree = 0;
  try {
    fc.assert(
      fc.property(fc.array(place, { maxLength: 8 }), (places) => {
        const keps = join(root, String(tree++));
        mkdirSync(keps);
        for (const [folders, name] of places) put(join(keps, ...folders), name);
        const layout = { root, keps };
        expect(findKeps(layout, keps, listBriefly)).toEqual(findKeps(layout, keps));
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
