import { chmodSync } from 'node:fs';
import type { Database, RootDatabase } from 'lmdb';
import { diskSpace } from './disk-space.js';
import { type Commit, type DurableLog, type Kept, type LogRecord, StorageFullError } from './durable-log.js';
import { forgetClosed, noteClosed, requireLmdbFile } from './lmdb-file.js';
import { opened, requireFormat, storageFormat } from './read-lmdb.js';
import { readRecord, recordText } from './record-text.js';

/** Superseded records are dropped from disk this many at a time: one transaction cleans up after many. */
const forgetAtLeast = 512;

/**
 * Keeps every write under its revision in one LMDB file, so each object is
 * written once and the newest events are there after a restart. A record goes
 * when neither the present nor the kept history needs it.
 * @throws StorageDamagedError when the file is not a store, or of a newer format.
 */
export async function openLmdbLog(path: string): Promise<DurableLog> {
  await requireLmdbFile(path);
  // A native module: loaded only by those who store something.
  const { open } = await import('lmdb');
  const root = opened(path, () =>
    // Without overlapping sync a write resolves when it is on disk, not before. Batches are ours: of those that lmdb
    // makes itself it keeps an inaccessible promise, whose rejection would end the process.
    open({ path, noSubdir: true, overlappingSync: false, eventTurnBatching: false, maxDbs: 4, encoding: 'json' }),
  );
  forgetClosed(path);
  // The file contains Secrets; the folder may have been created with other permissions.
  for (const file of [path, `${path}-lock`]) chmodSync(file, 0o600);
  const records: Database<string, number> = root.openDB('records', { encoding: 'string' });
  const meta: Database<number, string> = root.openDB('meta', { encoding: 'json' });
  const found = meta.get('format');
  if (found === undefined) await meta.put('format', storageFormat);
  else await requireFormat(path, root, found);
  return lmdbLog(path, root, records, meta);
}

function lmdbLog(
  path: string,
  root: RootDatabase,
  records: Database<string, number>,
  meta: Database<number, string>,
): DurableLog {
  const space = diskSpace(path);
  let forget: number[] = [];
  let compacted = new Map<string, number>();
  let isBroken = false;

  /** All of it in one transaction. */
  async function write(added: readonly LogRecord[], dropped: readonly number[], starts: ReadonlyMap<string, number>) {
    const committed = root.batch(() => {
      for (const record of added) void records.put(record.revision, recordText(record));
      for (const revision of dropped) void records.remove(revision);
      for (const [resource, revision] of starts) void meta.put(`compacted/${resource}`, revision);
    });
    await committed.catch(async (error) => Promise.reject(await reasonOf(error)));
  }

  return {
    load: () => load(path, records, meta),
    async commit({ records: added, forget: superseded, compacted: starts }: Commit) {
      const bytes = added.reduce((sum, record) => sum + (record.kind === 'put' ? record.json.length + 512 : 0), 0);
      const full = bytes > 0 ? !space.admits(bytes * 2) : false;
      if (full) throw new StorageFullError(`no space left on the disk of ${path}`);

      const clean = forget.length + superseded.length >= forgetAtLeast || bytes === 0;
      const dropped = forget.concat(superseded);
      const marks = new Map([...compacted, ...starts]);
      try {
        await write(added, clean ? dropped : [], clean ? marks : new Map());
      } catch (error) {
        if (!space.isExhausted()) {
          isBroken = true;
          throw new Error(`cannot write to ${path}`, { cause: error });
        }
        // The reserve is free now, and removals are what it is for.
        if (bytes > 0) throw new StorageFullError(`no space left on the disk of ${path}`, { cause: error });
        await write(added, dropped, marks);
      }
      forget = clean ? [] : dropped;
      compacted = clean ? new Map() : marks;
    },
    gather: (next) => void setImmediate(next),
    async close() {
      // LMDB may crash when it is closed after a write that failed. The end of the process lets go of the file.
      if (isBroken) return;
      await root.close();
      noteClosed(path);
    },
  };
}

/** A failed transaction is rejected with a promise of the reason. */
async function reasonOf(error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || !('commitError' in error)) return error;
  try {
    await error.commitError;
    return error;
  } catch (reason) {
    return reason;
  }
}

function load(path: string, records: Database<string, number>, meta: Database<number, string>): Kept {
  const prefix = 'compacted/';
  const compacted = new Map<string, number>();
  for (const { key, value } of meta.getRange({ start: prefix, end: 'compacted0' })) {
    compacted.set(key.slice(prefix.length), value);
  }
  return { compacted, records: decoded(path, records) };
}

function* decoded(path: string, records: Database<string, number>): Generator<LogRecord> {
  for (const { key, value } of records.getRange()) yield readRecord(path, key, value);
}
