import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { WatchedDisk } from './watched-disk.js';

const folder = mkdtempSync(join(tmpdir(), 'slipway-watched-disk-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('WatchedDisk reads a small file once for all work, and says each time what was seen', () => {
  const path = join(folder, 'kep.yaml');
  const disk = new WatchedDisk();
  const read = () => disk.watch(() => disk.read(path, 65_536)?.text, Date.now());
  writeFileSync(path, 'status: implementable\n');
  const first = read();
  writeFileSync(path, 'status: implemented\n');
  expect(read()).toEqual(first);
  expect(first.result).toBe('status: implementable\n');
  expect([...first.looks.keys()]).toEqual([`file 65536 ${path}`]);
  // Without work, the file is read as it is.
  expect(disk.read(path, 65_536)?.text).toBe('status: implemented\n');
});

test('WatchedDisk reads a larger file, and one that was missing, each time', () => {
  const path = join(folder, 'README.md');
  const disk = new WatchedDisk();
  const read = () => disk.watch(() => disk.read(path, 65_536)?.text, Date.now()).result;
  expect(read()).toBeUndefined();
  for (const text of ['a'.repeat(4_097), 'b'.repeat(4_097)]) {
    writeFileSync(path, text);
    expect(read()).toBe(text);
  }
});
