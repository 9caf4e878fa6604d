import { spawnSync } from 'node:child_process';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { StorageDamagedError } from './durable-log.js';

/** Facts of the file format of LMDB as lmdb-js 3 writes it: where things are in each of the two meta pages. */
const meta = { magicAt: 24, magic: 0xbeefc0de, pageSizeAt: 48, lastPageAt: 144, transactionAt: 152, bytes: 160 };

/**
 * Refuses a file that LMDB would crash on. LMDB maps the file into memory and
 * trusts it: a foreign file or one that was cut off would end the process with a
 * signal. A missing or empty file is fine; it becomes a new store.
 * @throws StorageDamagedError
 */
export function demandLmdbFile(path: string): void {
  const file = openExisting(path);
  if (file === undefined) return;
  try {
    const { size } = fstatSync(file);
    if (size === 0) return;
    const first = metaPage(path, file, 0);
    const second = metaPage(path, file, first.pageSize);
    const { pageSize, lastPage } = first.transaction >= second.transaction ? first : second;
    // Pages at the end that were given back before they were written make a sound file short, too.
    if (size < (lastPage + 1) * pageSize && !isReadable(path)) {
      throw new StorageDamagedError(`${path} was cut off: it has ${size} bytes of ${(lastPage + 1) * pageSize}`);
    }
  } finally {
    closeSync(file);
  }
}

function openExisting(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function metaPage(path: string, file: number, at: number) {
  const bytes = Buffer.alloc(meta.bytes);
  const read = readSync(file, bytes, 0, meta.bytes, at);
  if (read < meta.bytes || bytes.readUInt32LE(meta.magicAt) !== meta.magic) {
    throw new StorageDamagedError(`${path} is not a store of Slipway, or its head was overwritten`);
  }
  return {
    pageSize: bytes.readUInt32LE(meta.pageSizeAt),
    lastPage: Number(bytes.readBigUInt64LE(meta.lastPageAt)),
    transaction: bytes.readBigUInt64LE(meta.transactionAt),
  };
}

/** Reads everything once, in a process of its own that may crash. */
function isReadable(path: string): boolean {
  const program = `
    import { open } from ${JSON.stringify(import.meta.resolve('lmdb'))};
    const root = open({ path: process.argv[1], noSubdir: true, readOnly: true, encoding: 'json' });
    for (const { value } of root.openDB('records', { encoding: 'string' }).getRange()) value.length;`;
  const { status } = spawnSync(process.execPath, ['--input-type=module', '-e', program, '--', path], {
    stdio: 'ignore',
  });
  return status === 0;
}
