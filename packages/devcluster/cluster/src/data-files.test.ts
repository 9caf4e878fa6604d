import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '@slipway/kube';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { requireUsable } from './data-dir.js';
import { dataDirAt } from './data-paths.js';
import { startCluster } from './start-cluster.js';

let folder = '';
let data = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-files-'));
  data = join(folder, 'data');
  const cluster = await startCluster({ dataDir: data, nodes: 0, log: silentLog });
  await cluster.stop();
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const inPlace: Readonly<Record<string, (path: string) => void>> = {
  'is a directory, not a file': (path) => mkdirSync(path),
  'is a device, not a file': (path) => symlinkSync('/dev/zero', path),
  'is a named pipe, not a file': (path) => void execFileSync('mkfifo', [path]),
  'is a link that leads to itself': (path) => symlinkSync(path, path),
};
const files = ['VERSION', 'LOCK', 'store.mdb', 'store.mdb-lock', 'store.mdb-closed', 'pki/ca.crt', 'pki/ca.key'];

/** Replaces a file for the time of `check`, and puts it back. */
async function replaced(file: string, put: (path: string) => void, check: (path: string) => Promise<void>) {
  const path = join(data, file);
  const aside = join(folder, 'aside');
  writeFileSync(path, '', { flag: 'a' });
  renameSync(path, aside);
  try {
    put(path);
    await check(path);
  } finally {
    rmSync(path, { recursive: true, force: true });
    renameSync(aside, path);
    if (file === 'LOCK') rmSync(path);
  }
}

const refusal = (message: string) =>
  expect.objectContaining({ message, reason: 'DataDamaged', exitCode: 2, hint: expect.stringContaining(data) });

test('startCluster() rejects by name whatever lies in the place of a file, and opens none of it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...files), fc.constantFrom(...Object.keys(inPlace)), async (file, what) => {
      await replaced(file, inPlace[what] ?? (() => {}), async (path) => {
        const started = startCluster({ dataDir: data, nodes: 0, log: silentLog });
        await expect(started).rejects.toEqual(refusal(`${path} ${what}`));
      });
    }),
    { numRuns: 40 },
  );
});

// store of a cluster that was in use | what is said
const lost: [string, (path: string) => void][] = [
  ['is missing', () => {}],
  ['is empty', (path) => writeFileSync(path, '')],
];
test.each(lost)('startCluster() never starts empty where a store was: the store %s', async (what, put) => {
  await replaced('store.mdb', put, async (path) => {
    const started = startCluster({ dataDir: data, nodes: 0, log: silentLog });
    await expect(started).rejects.toEqual(refusal(`${path} ${what}`));
  });
});

test('requireUsable() accepts a store that is a link to a file on another disk', async () => {
  const elsewhere = join(folder, 'elsewhere.mdb');
  writeFileSync(elsewhere, 'pages');
  await replaced(
    'store.mdb',
    (path) => symlinkSync(elsewhere, path),
    async () => {
      expect(() => requireUsable(dataDirAt(data), '0.1.0')).not.toThrow();
    },
  );
});
