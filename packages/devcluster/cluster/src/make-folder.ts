import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemCode } from './cluster-start-error.js';

/**
 * Makes a folder and those above it, readable by its owner only; one that is there stays as it is.
 *
 * Node's own recursive mkdir never returns where a file system answers ENOENT to
 * making a folder in a folder that is there, as /proc does (Node 20.20).
 */
export function makeFolder(path: string): void {
  const above = dirname(path);
  if (!isFolder(above) && above !== path) makeFolder(above);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (systemCode(error) !== 'EEXIST' || !isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
