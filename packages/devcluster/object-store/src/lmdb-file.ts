import { spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync, readFileSync, readSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { StorageDamagedError } from './durable-log.js';

/** Facts of the file format of LMDB as lmdb-js 3 writes it: where things are in each of the two meta pages. */
const meta = { magicAt: 24, magic: 0xbeefc0de, pageSizeAt: 48, lastPageAt: 144, transactionAt: 152, bytes: 160 };

/**
 * Refuses a file that LMDB would crash on. LMDB maps the file into memory and
 * trusts it: a foreign or damaged file would end the process with a signal. So the head is
 * looked at here, and the rest is read once in a process of its own, unless it is as it was closed.
 * A missing or empty file is fine; it becomes a new store.
 * @throws StorageDamagedError
 */
export async function requireLmdbFile(path: string): Promise<void> {
  const file = openExisting(path);
  if (file === undefined) return;
  let cutOff = false;
  try {
    const { size } = fstatSync(file);
    if (size === 0) return;
    const first = metaPage(path, file, 0);
    const second = metaPage(path, file, first.pageSize);
    const { pageSize, lastPage } = first.transaction >= second.transaction ? first : second;
    // Pages at the end that were given back before they were written make a sound file short, too.
    cutOff = size < (lastPage + 1) * pageSize;
  } finally {
    closeSync(file);
  }
  if (isAsClosed(path) || (await isReadable(path))) return;
  throw new StorageDamagedError(cutOff ? `${path} was cut off` : `${path} is damaged`);
}

/** Notes that the store was closed in order, and how its file looked then. */
export function noteClosed(path: string): void {
  writeFileSync(noteOf(path), looksOf(path), { mode: 0o600 });
}

/** From here on only another `noteClosed` says that the store was closed. */
export function forgetClosed(path: string): void {
  rmSync(noteOf(path), { force: true });
}

/** Whether the file was closed properly and not written since, not even by a copy or a repair. */
function isAsClosed(path: string): boolean {
  try {
    return readFileSync(noteOf(path), 'utf8') === looksOf(path);
  } catch {
    return false;
  }
}

function looksOf(path: string): string {
  const { size, mtimeNs, ino } = statSync(path, { bigint: true });
  return `${size} ${mtimeNs} ${ino}\n`;
}

function noteOf(path: string): string {
  return `${path}-closed`;
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

const crashes: readonly unknown[] = ['SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGILL', 'SIGSEGV'];

/** JavaScript, so that it also runs beside the sources. */
const reader = fileURLToPath(new URL('./read-lmdb-file.js', import.meta.url));

/**
 * Reads everything once, in a process that may crash. If that process cannot be started, or ends by another
 * signal (Ctrl-C reaches it, too), nothing is known against the file.
 */
function isReadable(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [reader, path], { stdio: 'ignore' });
    child.once('error', () => resolve(true));
    child.once('exit', (status, signal) => resolve(status === 0 || (status === null && !crashes.includes(signal))));
  });
}
