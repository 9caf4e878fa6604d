import { accessSync, constants, readdirSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { ClusterStartError, systemCode } from './cluster-start-error.js';
import type { DataDir } from './data-paths.js';

/**
 * Checks what lies where the data directory has its files, before anything opens them. A file that is missing is fine;
 * anything but a readable file is rejected by name: LMDB would crash on a device, and reading a pipe would never end.
 * @throws ClusterStartError DataDamaged
 */
export function requireDataFiles(dir: DataDir): void {
  const pki = entryAt(dir.pki);
  if (pki && !pki.isDirectory()) throw damaged(dir.pki, `is ${kindOf(pki)}, not a directory`);
  const inPki = pki ? readable(dir.pki, () => readdirSync(dir.pki)).map((name) => join(dir.pki, name)) : [];
  for (const path of [dir.version, dir.lock, dir.store, `${dir.store}-lock`, `${dir.store}-closed`, ...inPki]) {
    const found = entryAt(path);
    if (!found) continue;
    if (!found.isFile()) throw damaged(path, `is ${kindOf(found)}, not a file`);
    readable(path, () => accessSync(path, constants.R_OK));
  }
}

/**
 * Checks that the store of a directory that was in use before is there: without it the cluster would start empty.
 * @throws ClusterStartError DataDamaged
 */
export function requireStore(dir: DataDir): void {
  const found = entryAt(dir.store);
  if (!found) throw damaged(dir.store, 'is missing');
  if (found.size === 0) throw damaged(dir.store, 'is empty');
}

/** What a path leads to, links followed. */
function entryAt(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (systemCode(error) === 'ELOOP') throw damaged(path, 'is a link that leads to itself');
    // What keeps the folder itself from being used is reported with the folder.
    return undefined;
  }
}

function readable<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw damaged(path, `cannot be read: ${messageOf(error)}`);
  }
}

function messageOf(error: unknown): string {
  return systemCode(error) === 'EACCES' ? 'permission denied' : String(error);
}

function kindOf(entry: Stats): string {
  if (entry.isFile()) return 'a file';
  if (entry.isDirectory()) return 'a directory';
  if (entry.isFIFO()) return 'a named pipe';
  if (entry.isSocket()) return 'a socket';
  return 'a device';
}

function damaged(path: string, what: string): ClusterStartError {
  const hint = `put ${path} back from a copy, or move the whole data directory away and start again`;
  return new ClusterStartError('DataDamaged', `${path} ${what}`, hint);
}
