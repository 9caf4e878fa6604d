import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { writeOutput, writeWhole } from './write-file.js';

const folder = mkdtempSync(join(tmpdir(), 'slipway-write-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('writeOutput() writes all parts, however long they are', () => {
  const part = fc.tuple(fc.constantFrom('a', 'ß', '\u{1f600}'), fc.constantFrom(0, 1, 10, 80_000, 90_000, 300_000));
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), (lengths) => {
      const parts = lengths.map(([char, count]) => char.repeat(count));
      writeOutput(join(folder, 'report'), parts);
      expect(readFileSync(join(folder, 'report'), 'utf8') === parts.join('')).toBe(true);
      expect(readdirSync(folder)).toEqual(['report']);
    }),
    { numRuns: 20 },
  );
});

test('writeOutput() leaves the file as it is when a part cannot be made', () => {
  writeFileSync(join(folder, 'report'), 'before');
  chmodSync(join(folder, 'report'), 0o600);
  const failing = function* () {
    yield 'half';
    throw new Error('no more');
  };
  expect(() => writeOutput(join(folder, 'report'), failing())).toThrow('no more');
  expect(readFileSync(join(folder, 'report'), 'utf8')).toBe('before');
  writeWhole(join(folder, 'report'), 'after');
  expect(readFileSync(join(folder, 'report'), 'utf8')).toBe('after');
  expect(statSync(join(folder, 'report')).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(['report']);
});

test('writeWhole() does not write through a link', () => {
  symlinkSync(join(folder, 'elsewhere'), join(folder, 'link'));
  expect(() => writeWhole(join(folder, 'link'), 'text')).toThrow('is a link or no file');
  rmSync(join(folder, 'link'));
});
