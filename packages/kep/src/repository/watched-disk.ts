import { lstatSync, readdirSync, type Stats } from 'node:fs';
import { readLooked, readSource, type Source, UnreadableError } from './read-source.js';

/** Something that was looked at: `file LIMIT PATH`, `names PATH`, `name NAME/PATH`, or what a caller of `note` calls it. */
export type LookKey = string;

/** What was seen there. Equal states give equal results. */
export interface Look {
  readonly state: string;
  /** What the system said of the path just before; undefined when that cannot tell whether it changed since. */
  readonly stamp: string | undefined;
}

/** A change this long after another has another time, on every file system. */
const settledAfterMs = 2_500;

/** What the system says of a path without reading it. Undefined while a change could go unnoticed. */
function stampOf(path: string, nowMs: number): string | undefined {
  try {
    return stampIn(statOf(path), nowMs);
  } catch {
    return undefined;
  }
}

function statOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

function stampIn(stat: Stats | undefined, nowMs: number): string | undefined {
  if (!stat) return 'none';
  const { dev, ino, mode, size, mtimeMs, ctimeMs } = stat;
  if (Math.max(mtimeMs, ctimeMs) > nowMs - settledAfterMs) return undefined;
  // Fractions of a millisecond may be rounded: two states of a file are further apart.
  return `${dev} ${ino} ${mode} ${size} ${mtimeMs} ${ctimeMs}`;
}

/** Files up to this many bytes are kept once they were read: proposals look at the metadata of others. */
const maxKept = 4_096;

/** Reads files and lists folders, each folder once, and can say what it looked at for a piece of work. */
export class WatchedDisk {
  readonly #folders = new Map<string, Listed>();
  readonly #kept = new Map<LookKey, { readonly source: Source; readonly look: Look }>();
  readonly #listed: (folder: string) => ReadonlySet<string> | undefined;
  #watch: { readonly looks: Map<LookKey, Look>; readonly nowMs: number } | undefined;

  /** @param listed the names in a folder that was listed in this run, which need not be listed again */
  constructor(listed: (folder: string) => ReadonlySet<string> | undefined = () => undefined) {
    this.#listed = listed;
  }

  /** Does `work`, and says all that was looked at meanwhile. Not to be nested. */
  watch<T>(work: () => T, nowMs: number): { readonly result: T; readonly looks: ReadonlyMap<LookKey, Look> } {
    const looks = new Map<LookKey, Look>();
    this.#watch = { looks, nowMs };
    try {
      return { result: work(), looks };
    } finally {
      this.#watch = undefined;
    }
  }

  /** Counts something that comes from elsewhere as looked at. */
  note(key: LookKey, state: string): void {
    this.#watch?.looks.set(key, { state, stamp: undefined });
  }

  /** As `readSource`. @throws UnreadableError */
  read(path: string, limitBytes: number): Source | undefined {
    const watch = this.#watch;
    if (!watch) return readSource(path, limitBytes);
    const key = `file ${limitBytes} ${path}`;
    const kept = this.#kept.get(key);
    if (kept) {
      watch.looks.set(key, kept.look);
      return kept.source;
    }
    let stamp: string | undefined;
    const stat = () => {
      const found = statOf(path);
      stamp = stampIn(found, watch.nowMs);
      return found;
    };
    try {
      let digested = '';
      const source = readLooked(path, limitBytes, stat, (bytes) => {
        digested = digest(bytes);
      });
      const look = { state: source ? `${source.bytes} ${digested}` : 'none', stamp };
      watch.looks.set(key, look);
      if (source && source.bytes <= maxKept) this.#kept.set(key, { source, look });
      return source;
    } catch (error) {
      watch.looks.set(key, { state: `refused ${error}`, stamp });
      throw error;
    }
  }

  /** The text of a file that a proposal only points to; undefined when it cannot be read. */
  readPassingly(path: string, limitBytes: number): string | undefined {
    try {
      return this.read(path, limitBytes)?.text;
    } catch (error) {
      if (error instanceof UnreadableError) return undefined;
      throw error;
    }
  }

  /** The names in a folder; undefined when it cannot be listed. */
  namesIn(folder: string): ReadonlySet<string> | undefined {
    const { names, stamp } = this.#folders.get(folder) ?? this.#list(folder);
    const state = names ? JSON.stringify([...names].sort()) : 'none';
    this.#watch?.looks.set(`names ${folder}`, { state, stamp });
    return names;
  }

  /** Whether a folder has this name. Other names may come and go without that being another thing to see. */
  has(folder: string, name: string): boolean {
    const { names, stamp } = this.#folders.get(folder) ?? this.#list(folder);
    const isThere = names?.has(name) ?? false;
    this.#watch?.looks.set(`name ${name}/${folder}`, { state: String(isThere), stamp });
    return isThere;
  }

  /** Looks once more at a file or at names. */
  look(key: LookKey, nowMs: number): Look | undefined {
    const { limitBytes, name, path } = parts(key);
    const again = () => {
      if (limitBytes !== undefined) this.readPassingly(path, limitBytes);
      else if (name !== undefined) this.has(path, name);
      else this.namesIn(path);
    };
    return this.watch(again, nowMs).looks.get(key);
  }

  /** Whether a folder that was listed in this run has a name; undefined for all else that can be looked at. */
  listedLook(key: LookKey): Look | undefined {
    if (!key.startsWith('name ')) return undefined;
    const { name = '', path } = parts(key);
    const names = this.#listed(path);
    return names && { state: String(names.has(name)), stamp: undefined };
  }

  #list(folder: string): Listed {
    const listed = this.#listed(folder);
    if (listed) return { names: listed, stamp: undefined };
    const stamp = this.#watch && stampOf(folder, this.#watch.nowMs);
    const read = { names: namesIn(folder), stamp };
    this.#folders.set(folder, read);
    return read;
  }
}

interface Listed {
  readonly names: ReadonlySet<string> | undefined;
  readonly stamp: string | undefined;
}

/** The stamp of a file or of names that were looked at. `known` has those of this run by path: a folder has one for all its names. */
export function stampOfLook(key: LookKey, nowMs: number, known: Map<string, string | undefined>): string | undefined {
  const { path } = parts(key);
  if (!known.has(path)) known.set(path, stampOf(path, nowMs));
  return known.get(path);
}

function parts(key: LookKey): { readonly limitBytes?: number; readonly name?: string; readonly path: string } {
  const [kind = '', limit = ''] = key.split(' ', 2);
  const rest = key.slice(kind.length + 1);
  if (kind === 'names') return { path: rest };
  const slash = rest.indexOf('/');
  if (kind === 'name') return { name: rest.slice(0, slash), path: rest.slice(slash + 1) };
  return { limitBytes: Number(limit), path: rest.slice(limit.length + 1) };
}

function namesIn(folder: string): ReadonlySet<string> | undefined {
  try {
    return new Set(readdirSync(folder));
  } catch {
    return undefined;
  }
}

let crypto: typeof import('node:crypto') | undefined;

/** Most runs need no digest; loading this takes longer than checking a proposal. */
function loadedCrypto(): typeof import('node:crypto') {
  crypto ??= process.getBuiltinModule('node:crypto');
  return crypto;
}

/** Returns the digest of a text in parts, which is that of the whole. */
export function digestOfParts(parts: readonly Uint8Array[]): string {
  const hash = loadedCrypto().createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('base64url');
}

/** Returns a short digest of a text. Two texts with one digest cannot be made on purpose. */
export function digest(text: string | Uint8Array): string {
  return loadedCrypto().hash('sha256', text, 'base64url');
}
