import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configMaps } from '@slipway/kube-objects/kinds/api/core';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { readDataDir, verifyDataDir } from './data-report.js';
import { startCluster } from './start-cluster.js';
import { aStartedCluster } from './testing/started-cluster.js';

// Clusters start and stop in here, beside all other tests of the machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-data-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A data directory that a cluster with some config maps left behind. */
async function someData(): Promise<string> {
  const dataDir = join(folder, 'data');
  const cluster = await aStartedCluster({ dataDir, nodes: 0 });
  const client = cluster.kube().resource(configMaps);
  for (const name of ['a', 'b']) {
    const metadata = { name, namespace: 'default' };
    await client.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { text: `marked-${name}` } });
  }
  await cluster.stop();
  return dataDir;
}

test('verifyDataDir() counts what is there, and changes nothing', async () => {
  const dataDir = await someData();
  const before = readFileSync(join(dataDir, 'store.mdb'));
  const report = await verifyDataDir(dataDir);
  expect(report.damage).toEqual([]);
  expect(report.objects).toMatchObject({ namespaces: 4 });
  expect(report.objects.configmaps).toBeGreaterThanOrEqual(2);
  expect(report.revision).toBeGreaterThan(6);
  expect(readFileSync(join(dataDir, 'store.mdb')).equals(before)).toBe(true);
});

test.each<[string, (dataDir: string) => void, RegExp]>([
  ['a changed byte', (dir) => overwrite(join(dir, 'store.mdb'), 'marked-a', 'marked-x'), /checksum/],
  ['a store that was cut off', (dir) => truncateSync(join(dir, 'store.mdb'), 20_000), /was cut off|damaged/],
  ['a store that is none', (dir) => writeFileSync(join(dir, 'store.mdb'), 'rubbish'), /not a store of Slipway/],
  ['a certificate that is none', (dir) => writeFileSync(join(dir, 'pki', 'ca.crt'), 'rubbish'), /as a certificate/],
])('verifyDataDir() tells of %s', async (_what, spoil, what) => {
  const dataDir = await someData();
  spoil(dataDir);
  const { damage } = await verifyDataDir(dataDir);
  expect(damage.map((found) => found.what)).toEqual([expect.stringMatching(what)]);
});

test('verifyDataDir() names the object that is damaged; readDataDir() hands out nothing then', async () => {
  const dataDir = await someData();
  expect((await readDataDir(dataDir)).map(({ metadata }) => metadata.name)).toContain('a');
  overwrite(join(dataDir, 'store.mdb'), 'marked-a', 'marked-x');
  expect((await verifyDataDir(dataDir)).damage[0]?.where).toMatch(/^record \d+, about configmaps\/default\/a$/);
  await expect(readDataDir(dataDir)).rejects.toMatchObject({ reason: 'DataDamaged', exitCode: 2 });
});

test('verifyDataDir() refuses a folder that is not there, and one that is not a data directory', async () => {
  await expect(verifyDataDir(join(folder, 'nowhere'))).rejects.toMatchObject({ reason: 'DataUnusable' });
  writeFileSync(join(folder, 'letter.txt'), 'dear');
  await expect(verifyDataDir(folder)).rejects.toMatchObject({ reason: 'DataUnusable' });
});

test('verifyDataDir() does not call the folder of a cluster sound that keeps everything in memory', async () => {
  const dataDir = join(folder, 'ephemeral');
  const _cluster = await startCluster({ nodes: 0, dataDir, ephemeral: true });
  const refused = { reason: 'DataUnusable', message: expect.stringContaining('keeps everything in memory') };
  await expect(verifyDataDir(dataDir)).rejects.toMatchObject(refused);
  await expect(readDataDir(dataDir)).rejects.toMatchObject(refused);
});

function overwrite(path: string, from: string, to: string): void {
  const bytes = readFileSync(path);
  for (let at = bytes.indexOf(from); at >= 0; at = bytes.indexOf(from, at + 1)) bytes.write(to, at);
  writeFileSync(path, bytes);
}
