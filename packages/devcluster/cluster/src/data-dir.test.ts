import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { aFolder } from '@slipway/kube-objects/testing/a-folder';
import { expect, test } from 'vitest';
import { defaultDataDir, makeDataDir, requireUsable, stampVersion } from './data-dir.js';
import { dataDirAt } from './data-paths.js';

test('a new data directory is readable by its owner only and says which program made and opened it', () => {
  const dir = dataDirAt(join(aFolder(), 'deep', 'dev'));
  requireUsable(dir, '0.1.0');
  makeDataDir(dir);
  stampVersion(dir, '0.1.0');
  stampVersion(dir, '0.2.0');
  expect(JSON.parse(readFileSync(dir.version, 'utf8'))).toEqual({
    format: 1,
    createdBy: '0.1.0',
    lastOpenedBy: '0.2.0',
  });
  expect([statSync(dir.path).mode & 0o777, statSync(dir.version).mode & 0o777]).toEqual([0o700, 0o600]);
  expect(() => requireUsable(dir, '0.1.0')).not.toThrow();
});

test('requireUsable() takes a folder for empty that another start is just taking', () => {
  const dir = dataDirAt(aFolder());
  for (const name of ['LOCK', 'LOCK.7', 'VERSION.7.tmp']) writeFileSync(join(dir.path, name), '');
  expect(() => requireUsable(dir, '0.1.0')).not.toThrow();
  writeFileSync(join(dir.path, 'letter.txt'), 'dear');
  expect(() => requireUsable(dir, '0.1.0')).toThrow(expect.objectContaining({ reason: 'DataUnusable' }));
});

test('requireUsable() refuses a newer data directory, names both versions and writes nothing', () => {
  const dir = dataDirAt(aFolder());
  writeFileSync(dir.version, JSON.stringify({ format: 2, createdBy: '1.0.0', lastOpenedBy: '9.9.0' }));
  const before = readdirSync(dir.path).map((file) => [file, statSync(join(dir.path, file)).mtimeMs]);
  const message = `${dir.path} has data format 2 of slipway 9.9.0; this is slipway 0.1.0, which knows formats up to 1`;
  expect(() => requireUsable(dir, '0.1.0')).toThrow(
    expect.objectContaining({ message, reason: 'DataTooNew', exitCode: 2 }),
  );
  expect(readdirSync(dir.path).map((file) => [file, statSync(join(dir.path, file)).mtimeMs])).toEqual(before);
});

test.each(['', 'garbage', '{}', '{"format": 0}', '{"format": "1"}', '[]', 'null'])(
  'requireUsable() calls a data directory damaged whose VERSION is %j',
  (content) => {
    const dir = dataDirAt(aFolder());
    writeFileSync(dir.version, content);
    expect(() => requireUsable(dir, '0.1.0')).toThrow(expect.objectContaining({ reason: 'DataDamaged', exitCode: 2 }));
  },
);

test('requireUsable() leaves folders of others alone, and accepts what an early crash left', () => {
  const dir = dataDirAt(aFolder());
  writeFileSync(dir.lock, '');
  expect(() => requireUsable(dir, '0.1.0')).not.toThrow();
  writeFileSync(join(dir.path, 'thesis.tex'), '');
  expect(() => requireUsable(dir, '0.1.0')).toThrow(expect.objectContaining({ reason: 'DataUnusable' }));
});

test('a path that cannot be a folder is refused in one line', () => {
  const file = join(aFolder(), 'file');
  writeFileSync(file, '');
  const usable = (path: string) => () => {
    requireUsable(dataDirAt(path), '0.1.0');
    makeDataDir(dataDirAt(path));
  };
  expect(usable(file)).toThrow('a part of the path is a file');
  expect(usable(join(file, 'below'))).toThrow('a part of the path is a file');
  expect(usable(join(aFolder(), 'n'.repeat(300)))).toThrow('the path is too long');
  if (existsSync('/proc/self')) expect(usable('/proc/nowhere/at/all')).toThrow('cannot use /proc/nowhere/at/all');
});

test('a folder without the right to write is refused in one line', () => {
  // Root may write everywhere but where the kernel makes the folders.
  const folder = process.getuid?.() === 0 ? '/sys' : join(aFolder(), 'read-only');
  if (folder !== '/sys') mkdirSync(folder, { mode: 0o500 });
  expect(() => makeDataDir(dataDirAt(join(folder, 'cluster')))).toThrow('permission denied');
});

test('defaultDataDir() follows XDG_DATA_HOME', () => {
  expect(defaultDataDir('dev', { XDG_DATA_HOME: '/x' })).toBe('/x/slipway/clusters/dev');
  expect(defaultDataDir('dev', { HOME: '/h' })).toBe('/h/.local/share/slipway/clusters/dev');
});
