import { lstatSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Writes the parts of a text where a person asked for it: a device or a pipe takes it as it comes, a file is replaced as a whole. */
export function writeOutput(path: string, parts: Iterable<string>): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  const bytes = Buffer.concat(Array.from(parts, (part) => Buffer.from(part)));
  if (stat?.isCharacterDevice() || stat?.isFIFO()) writeFileSync(path, bytes);
  else writeWhole(path, bytes);
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
