import { closeSync, lstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Changes with every change of the code beside and below this file, which includes all rules and readers. */
export function codeVersion(): string {
  const path = fileURLToPath(import.meta.url);
  // The build writes all of `slipway kep` into one file, which begins with a digest of the rest.
  if (path.endsWith('.cjs')) return `${process.version} ${beginOf(path)}`;
  const hash = process.getBuiltinModule('node:crypto').createHash('sha256').update(process.version);
  const folders = [dirname(path)];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const at = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(at);
      else if (/\.[jt]s$/.test(entry.name) && !/\.(?:d|test)\.ts$/.test(entry.name)) {
        const { size, mtimeMs } = lstatSync(at);
        hash.update(`${at}\0${size}\0${mtimeMs}\0`);
      }
    }
  }
  return hash.digest('base64url');
}

function beginOf(path: string): string {
  const begin = Buffer.alloc(32);
  const file = openSync(path, 'r');
  try {
    return begin.toString('latin1', 0, readSync(file, begin));
  } finally {
    closeSync(file);
  }
}
