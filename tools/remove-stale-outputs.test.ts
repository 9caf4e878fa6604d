import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { removeStaleOutputs } from './remove-stale-outputs.mjs';

const folder = mkdtempSync(join(tmpdir(), 'slipway-outputs-'));
beforeAll(() => {
  write('tsconfig.tsbuildinfo', JSON.stringify({ fileNames: ['./src/kept.ts', './src/a/kept.js'] }));
  for (const name of ['kept', 'a/kept', 'a/gone', 'b/c/gone']) {
    for (const ending of ['.js', '.js.map', '.d.ts']) write(`dist/${name}${ending}`);
  }
  for (const name of ['bundled.js', 'lib/chunk-1.js', 'data.json']) write(`dist/${name}`);
  removeStaleOutputs(folder);
});
afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  ['kept.js', true],
  ['kept.d.ts', true],
  ['a/kept.js.map', true],
  ['a/gone.js', false],
  ['a/gone.js.map', false],
  ['a/gone.d.ts', false],
  ['b', false],
  ['bundled.js', true],
  ['lib/chunk-1.js', true],
  ['data.json', true],
])('removeStaleOutputs leaves %s: %s', (name, isLeft) => {
  expect(existsSync(join(folder, 'dist', name))).toBe(isLeft);
});

function write(name: string, text = ''): void {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
