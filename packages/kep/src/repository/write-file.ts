import { closeSync, lstatSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Writes the parts of a text where a person asked for it: a device or a pipe takes it as it comes, a file is replaced as a whole. */
export function writeOutput(path: string, parts: Iterable<string | Uint8Array>): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isCharacterDevice() || stat?.isFIFO()) writeParts(path, 'w', 0o644, parts);
  else replaceFile(path, parts);
}

/**
 * Replaces a file as a whole: readers see the old text or the new one, and a full disk
 * leaves the old one. Refuses to write through a link. @throws errors of the file system
 */
export function writeWhole(path: string, text: string): void {
  replaceFile(path, [text]);
}

/** As `writeWhole`, for a file in parts; what is text in them is written as UTF-8. @throws errors of the file system, and of making a part */
export function replaceFile(path: string, parts: Iterable<string | Uint8Array>): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat && !stat.isFile()) throw new Error(`${path} is a link or no file; nothing was written`);
  const beside = join(dirname(path), `.${process.pid}.slipway-tmp`);
  try {
    writeParts(beside, 'wx', stat?.mode ?? 0o644, parts);
    renameSync(beside, path);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
}

const roomBytes = 256 * 1024;
const maxBytesOfUnit = 3;

/** Writes parts one after the other, in pieces: the memory for all of a report at once is a reason for V8 to collect garbage. */
function writeParts(path: string, flag: 'w' | 'wx', mode: number, parts: Iterable<string | Uint8Array>): void {
  const file = openSync(path, flag, mode);
  try {
    const room = Buffer.allocUnsafeSlow(roomBytes);
    let used = 0;
    for (const part of parts) {
      const most = typeof part === 'string' ? part.length * maxBytesOfUnit : part.byteLength;
      if (used + most > roomBytes) {
        writeFileSync(file, room.subarray(0, used));
        used = 0;
      }
      if (most > roomBytes) writeFileSync(file, part);
      else if (typeof part === 'string') used += room.write(part, used);
      else {
        room.set(part, used);
        used += most;
      }
    }
    writeFileSync(file, room.subarray(0, used));
  } finally {
    closeSync(file);
  }
}
