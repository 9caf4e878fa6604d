import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { forgetClosed, noteClosed, requireLmdbFile } from './lmdb-file.js';
import { lmdbStore } from './lmdb-store.js';

let folder = '';
let path = '';

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-lmdb-file-'));
  path = join(folder, 'store.mdb');
  const store = await lmdbStore({ path });
  await store.put(
    'configmaps',
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'n', name: 'a' } },
    undefined,
  );
  await store.close();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Spoils all pages but the two with the head; the file keeps its size, and gets the time it is given. */
function spoil(seconds: number): void {
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0xff, 2 * 4096));
  utimesSync(path, seconds, seconds);
}

test('requireLmdbFile() reads a store through unless it is as it was closed', async () => {
  utimesSync(path, 1_000, 1_000);
  noteClosed(path);
  spoil(1_000);
  await expect(requireLmdbFile(path)).resolves.toBeUndefined();
  utimesSync(path, 2_000, 2_000);
  await expect(requireLmdbFile(path)).rejects.toThrow('is damaged');
});

test('a store that is open, or was and ended without being closed, is read through', async () => {
  utimesSync(path, 1_000, 1_000);
  noteClosed(path);
  forgetClosed(path);
  spoil(1_000);
  await expect(requireLmdbFile(path)).rejects.toThrow('is damaged');
});
