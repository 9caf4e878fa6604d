import { lstatSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Writes the parts of a text where a person asked for it: a device or a pipe takes it as it comes, a file is replaced as a whole. */
export function writeOutput(path: string, parts: Iterable<string>): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  const bytes = encoded([...parts]);
  if (stat?.isCharacterDevice() || stat?.isFIFO()) writeFileSync(path, bytes);
  else writeWhole(path, bytes);
}

/** The bytes of parts of a text, in memory that is only used as far as they reach. */
function encoded(parts: readonly string[]): Uint8Array {
  const maxBytes = 3 * parts.reduce((sum, { length }) => sum + length, 0);
  const room = Buffer.allocUnsafeSlow(maxBytes);
  let bytes = 0;
  for (const part of parts) bytes += room.write(part, bytes);
  return room.subarray(0, bytes);
}

/**
 * Replaces a file as a whole: readers see the old text or the new one, and a full disk
 * leaves the old one. Refuses to write through a link. @throws errors of the file system
 */
export function writeWhole(path: string, text: string | Uint8Array): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat && !stat.isFile()) throw new Error(`${path} is a link or no file; nothing was written`);
  const beside = join(dirname(path), `.${process.pid}.slipway-tmp`);
  try {
    writeFileSync(beside, text, { mode: stat?.mode ?? 0o644, flag: 'wx' });
    renameSync(beside, path);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
}
