import { existsSync } from 'node:fs';
import { errorMessage } from '@slipway/kube';
import type { Database, RootDatabase } from 'lmdb';
import { StorageDamagedError } from './durable-log.js';
import { requireLmdbFile } from './lmdb-file.js';

/** Raised when what is written changes its meaning; older programs then refuse to open it. */
export const storageFormat = 1;

/** What a store file holds, as it was at one moment. */
export interface RawRecords {
  /** Oldest first. */
  readonly records: Iterable<{ readonly revision: number; readonly text: string }>;
  close(): Promise<void>;
}

/**
 * Reads a store file without changing it, also while a cluster writes to it.
 * A file that is not there holds nothing.
 * @throws StorageDamagedError when it cannot be read as a store
 */
export async function readLmdb(path: string): Promise<RawRecords> {
  if (!existsSync(path)) return { records: [], close: async () => {} };
  await requireLmdbFile(path);
  const { open } = await import('lmdb');
  const root = opened(path, () => open({ path, noSubdir: true, readOnly: true, maxDbs: 4, encoding: 'json' }));
  const meta: Database<number, string> | undefined = root.openDB('meta', { encoding: 'json' });
  await requireFormat(path, root, meta?.get('format') ?? storageFormat);
  const records: Database<string, number> | undefined = root.openDB('records', { encoding: 'string' });
  return { records: rawRecords(records), close: () => root.close() };
}

/** Closes a store that a newer program wrote. @throws StorageDamagedError */
export async function requireFormat(path: string, root: RootDatabase, found: number): Promise<void> {
  if (found <= storageFormat) return;
  await root.close();
  throw new StorageDamagedError(`${path} has storage format ${found}, this program knows up to ${storageFormat}`);
}

/** @throws StorageDamagedError with what LMDB said */
export function opened<T>(path: string, open: () => T): T {
  try {
    return open();
  } catch (error) {
    const why = errorMessage(error);
    throw new StorageDamagedError(`${path} cannot be opened as a store: ${why}`, { cause: error });
  }
}

/** A start that got no further may have left a file without any. */
function* rawRecords(records: Database<string, number> | undefined) {
  if (!records) return;
  for (const { key, value } of records.getRange()) yield { revision: key, text: value };
}
