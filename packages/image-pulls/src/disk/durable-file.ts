import { closeSync, fsyncSync, lstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** Replaces a file as a whole, so that a crash leaves the old one or the new one. `mode` is for a file that is new. */
export function writeDurably(path: string, text: string, mode: number): void {
  const kept = (lstatSync(path, { throwIfNoEntry: false })?.mode ?? mode) & 0o777;
  mkdirSync(dirname(path), { recursive: true });
  const making = `${path}.slipway~`;
  const file = openSync(making, 'w', kept);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(making, path);
}
