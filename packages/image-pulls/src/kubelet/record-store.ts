import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeDurably } from '../disk/durable-file.js';

/** Where `PullRecords` keeps what it knows. */
export interface RecordStore {
  /** For hashes of credentials, which say nothing without it. */
  readonly key: Uint8Array;
  read(kind: RecordKind, name: string): string | undefined;
  write(kind: RecordKind, name: string, text: string): void;
  remove(kind: RecordKind, name: string): void;
}

type RecordKind = 'pulling' | 'pulled';

/** For a kubelet that starts on an empty machine each time. */
export function memoryRecords(): RecordStore {
  const texts = new Map<string, string>();
  return {
    key: randomBytes(32),
    read: (kind, name) => texts.get(`${kind}/${name}`),
    write: (kind, name, text) => void texts.set(`${kind}/${name}`, text),
    remove: (kind, name) => void texts.delete(`${kind}/${name}`),
  };
}

/** In a folder, one file for each record, each durable when `write` returns. For its owner only. */
export function fileRecords(folder: string): RecordStore {
  const at = (kind: RecordKind, name: string) => join(folder, kind, name);
  const read = (path: string) => {
    try {
      return readFileSync(path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  };
  const keyFile = join(folder, 'key');
  const written = read(keyFile);
  const key = written === undefined ? randomBytes(32) : Buffer.from(written, 'hex');
  if (written === undefined) writeDurably(keyFile, key.toString('hex'), 0o600);
  return {
    key,
    read: (kind, name) => read(at(kind, name)),
    write: (kind, name, text) => writeDurably(at(kind, name), text, 0o600),
    remove: (kind, name) => rmSync(at(kind, name), { force: true }),
  };
}
