import { lstatSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Changes with every change of the code beside and below this file, which includes all rules and readers. */
export function codeVersion(): string {
  const hash = process.getBuiltinModule('node:crypto').createHash('sha256').update(process.version);
  const folders = [dirname(fileURLToPath(import.meta.url))];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else if (/\.[jt]s$/.test(entry.name) && !/\.(?:d|test)\.ts$/.test(entry.name)) {
        const { size, mtimeMs } = lstatSync(path);
        hash.update(`${path}\0${size}\0${mtimeMs}\0`);
      }
    }
  }
  return hash.digest('base64url');
}
