import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { KubeObject } from '@slipway/kube';
import { aFolder } from '@slipway/kube-objects/testing/a-folder';
import { expect, type TestContext, test } from 'vitest';
import { needs } from '../../../../tools/real-parts.js';
import { createStore } from './create-store.js';
import { StorageDamagedError, StorageFullError } from './durable-log.js';
import { openLmdbLog } from './lmdb-log.js';
import { lmdbStore } from './lmdb-store.js';
import { CompactedError, type Store, type StoreEvent } from './store.js';

function aPod(name: string, value = 0): KubeObject {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'n', name, uid: `uid-${name}` }, value };
}

const told = ({ type, entry, previous }: StoreEvent) =>
  `${type} ${entry.name} ${entry.revision}${previous ? ` was ${previous.object.value}` : ''}`;

function eventsSince(store: Store, revision: number): string[] {
  const events: string[] = [];
  store.watch('pods', revision, (event) => events.push(told(event))).close();
  return events;
}

test('lmdbStore() has after a restart what was acknowledged: objects, revision and recent events', async () => {
  const path = join(aFolder(), 'store.mdb');
  const first = await lmdbStore({ path });
  const a = await first.put('pods', aPod('a', 1), undefined);
  await first.put('pods', aPod('b'), undefined);
  await first.remove(await first.put('pods', aPod('a', 2), a));
  await first.remove(await first.put('pods', aPod('c', 3), undefined), aPod('c', 4));
  const events = eventsSince(first, 0);
  await first.close();

  const second = await lmdbStore({ path });
  expect(second.revision).toBe(6);
  expect(second.list('pods', {}).entries.map(({ name }) => name)).toEqual(['b']);
  expect(eventsSince(second, 0)).toEqual(events);
  expect(second.list('pods', { atRevision: 1 }).entries[0]?.object.value).toBe(1);
  expect((await second.put('pods', aPod('d'), undefined)).revision).toBe(7);
  await second.close();
});

test('lmdbStore() keeps on disk what history needs and no more', async () => {
  const path = join(aFolder(), 'store.mdb');
  const history = { events: 10, ageMs: -1, bytes: 1e9 };
  const first = createStore({ durable: await openLmdbLog(path), history });
  const all: Promise<unknown>[] = [];
  for (let i = 0; i < 3000; i += 1) all.push(first.put('pods', aPod('a', i), first.latest('pods', 'n', 'a')));
  await Promise.all(all);
  const gone = first.put('pods', aPod('gone'), undefined);
  await first.remove(await gone);
  await first.close();

  const log = await openLmdbLog(path);
  const kept = [...log.load().records];
  expect(kept.length).toBeLessThan(1000);
  await log.close();
  const second = await lmdbStore({ path });
  expect([second.revision, second.get('pods', 'n', 'a')?.object.value]).toEqual([3002, 2999]);
  expect(eventsSince(second, 2995).length).toBe(7);
  expect(() => eventsSince(second, 10)).toThrow(CompactedError);
  await second.close();
});

test('lmdbStore() refuses a file that is not a store, and one of a newer format', async () => {
  const path = join(aFolder(), 'store.mdb');
  writeFileSync(path, 'not a database '.repeat(1000));
  await expect(lmdbStore({ path })).rejects.toThrow(StorageDamagedError);

  const newer = join(aFolder(), 'store.mdb');
  await (await lmdbStore({ path: newer })).close();
  const { open } = await import('lmdb');
  const root = open({ path: newer, noSubdir: true, encoding: 'json' });
  await root.openDB('meta', { encoding: 'json' }).put('format', 99);
  await root.close();
  await expect(lmdbStore({ path: newer })).rejects.toThrow('format 99');
});

test('lmdbStore() refuses a file that was cut off', async () => {
  const path = join(aFolder(), 'store.mdb');
  const store = await lmdbStore({ path });
  await Promise.all(Array.from({ length: 500 }, (_, i) => store.put('pods', aPod(`p${i}`), undefined)));
  await store.close();
  truncateSync(path, statSync(path).size / 2);
  await expect(lmdbStore({ path })).rejects.toThrow(StorageDamagedError);
});

test('lmdbStore() refuses a file with a damaged page, whichever it is, or has everything', {
  timeout: 30_000,
}, async () => {
  const folder = aFolder();
  const path = join(folder, 'store.mdb');
  const store = await lmdbStore({ path });
  const text = (i: number) => 'x'.repeat((i * 37) % 3000);
  await Promise.all(
    Array.from({ length: 60 }, (_, i) => store.put('pods', { ...aPod(`p${i}`, i), text: text(i) }, undefined)),
  );
  await store.close();
  const sound = readFileSync(path);
  const pages = sound.length / 4096;
  let refused = 0;
  for (let page = 2; page < pages; page += Math.ceil(pages / 12)) {
    const damaged = Buffer.from(sound);
    for (let at = page * 4096; at < (page + 1) * 4096; at += 1) damaged[at] = (at * 31 + page) & 0xff;
    const copy = join(folder, `page-${page}.mdb`);
    writeFileSync(copy, damaged);
    try {
      const opened = await lmdbStore({ path: copy });
      // Pages that nothing refers to any more may hold anything.
      expect(
        opened
          .list('pods', {})
          .entries.map(({ object }) => object.text.length)
          .sort(),
      ).toEqual(Array.from({ length: 60 }, (_, i) => text(i).length).sort());
      await opened.close();
    } catch (error) {
      expect(error).toBeInstanceOf(StorageDamagedError);
      refused += 1;
    }
  }
  expect(refused).toBeGreaterThan(3);
});

test('lmdbStore() refuses a record whose content was changed', async () => {
  const path = join(aFolder(), 'store.mdb');
  const store = await lmdbStore({ path });
  await store.put('pods', { ...aPod('a'), text: 'the original text' }, undefined);
  await store.close();
  const bytes = readFileSync(path);
  bytes.write('forged', bytes.indexOf('original'));
  writeFileSync(path, bytes);
  await expect(lmdbStore({ path })).rejects.toThrow('record 1');
});

test('lmdbStore() opens a sound file whose last pages were given back before they were written', async () => {
  const path = join(aFolder(), 'store.mdb');
  const store = await lmdbStore({ path });
  await store.put('pods', aPod('a'), undefined);
  await store.close();
  const bytes = readFileSync(path);
  for (const page of [0, bytes.readUInt32LE(48)]) {
    bytes.writeBigUInt64LE(bytes.readBigUInt64LE(page + 144) + 1n, page + 144);
  }
  writeFileSync(path, bytes);
  const reopened = await lmdbStore({ path });
  expect(reopened.list('pods', {}).entries.map(({ name }) => name)).toEqual(['a']);
  await reopened.close();
});

test('lmdbStore() on a full disk refuses writes, reads and removes, and recovers', async (ctx) => {
  const folder = aFolder();
  mountSmallDisk(ctx, folder, '8m');
  try {
    const store = await lmdbStore({ path: join(folder, 'store.mdb') });
    const text = 'x'.repeat(10_000);
    const put = (name: string) => store.put('pods', { ...aPod(name), text }, undefined);
    let written = 0;
    const fill = async () => {
      for (;;) await put(`p${written++}`);
    };
    await expect(fill()).rejects.toThrow(StorageFullError);
    expect(written).toBeGreaterThan(100);
    writeFileSync(join(folder, 'other'), Buffer.alloc(64 * 1024));
    await expect(put('refused')).rejects.toThrow(StorageFullError);
    expect(store.latest('pods', 'n', 'refused')).toBeUndefined();
    for (let i = 0; i < 20; i += 1) {
      const stored = store.get('pods', 'n', `p${i}`);
      if (stored) await store.remove(stored);
    }
    expect(store.list('pods', {}).entries.length).toBe(written - 1 - 20);

    execFileSync('mount', ['-o', 'remount,size=16m', folder]);
    await put('again');
    await store.close();
    const reopened = await lmdbStore({ path: join(folder, 'store.mdb') });
    expect(reopened.list('pods', {}).entries.length).toBe(written - 20);
    await reopened.close();
  } finally {
    execFileSync('umount', ['-l', folder]);
  }
});

test('lmdbStore() keeps every acknowledged write of 64 writers through SIGKILL', { timeout: 30_000 }, async (ctx) => {
  const module = fileURLToPath(new URL('../dist/lmdb-store.js', import.meta.url));
  needs(ctx, 'the built packages');
  const path = join(aFolder(), 'store.mdb');
  let lastRevision = 0;
  for (let round = 0; round < 6; round += 1) {
    const acknowledged = await writeAndKill(module, path, 150 + round * 37);
    const store = await lmdbStore({ path });
    expect(store.revision).toBeGreaterThan(lastRevision);
    lastRevision = store.revision;
    for (const [name, count] of acknowledged) {
      const pod = store.get('pods', 'n', name)?.object;
      const remembered = store.get('counts', 'n', name)?.object.count ?? 0;
      expect(Math.max(pod?.count ?? 0, remembered)).toBeGreaterThanOrEqual(count);
    }
    for (const { object, json, revision } of store.list('pods', {}).entries) {
      expect([object.again, object.text, JSON.parse(json).metadata.resourceVersion]).toEqual([
        object.count,
        String(object.count).repeat(400),
        String(revision),
      ]);
    }
    await store.close();
  }
});

/** Highest acknowledged count by writer, of a process that was killed `afterMs` after its first acknowledgement. */
async function writeAndKill(module: string, path: string, afterMs: number): Promise<ReadonlyMap<string, number>> {
  const program = fileURLToPath(new URL('./testdata/writers.mjs', import.meta.url));
  const child = spawn(process.execPath, [program, module, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  const acknowledged = new Map<string, number>();
  child.stdout.once('data', () => setTimeout(() => child.kill('SIGKILL'), afterMs));
  for await (const line of createInterface({ input: child.stdout })) {
    const [name = '', count = ''] = line.split(' ');
    // The last line may be cut off in the middle of its number; a smaller number asks for less, not for more.
    acknowledged.set(name, Math.max(acknowledged.get(name) ?? 0, Number(count)));
  }
  expect(acknowledged.size).toBeGreaterThan(0);
  return acknowledged;
}

function mountSmallDisk(ctx: TestContext, folder: string, size: string): void {
  needs(ctx, 'a small disk');
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'none', folder], { stdio: 'ignore' });
}
