import { type Dirent, lstatSync, readdirSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import type { PlaceFacts } from '../facts/rule.js';

/** The folders of a checkout with proposals. */
export interface Layout {
  /** Paths in findings are relative to this. */
  readonly root: string;
  /** The folder with the groups. */
  readonly keps: string;
}

/** A folder with a proposal. */
export interface FoundKep extends PlaceFacts {
  /** Absolute path of the folder. */
  readonly path: string;
  /** Absolute path of the only file, for a proposal that is a file, not a folder; it has no metadata. */
  readonly file?: string;
  /** The kind of document that the configuration declares; undefined for a proposal of Kubernetes. */
  readonly kind?: string;
  /** There is only a production readiness file, at `path`. */
  readonly approvalOnly?: true;
  /** There is a README that belongs to no proposal, which upstream's tools refuse. */
  readonly isStray?: true;
  /** The error code of reading the folder: EACCES, EIO. */
  readonly unreadable?: string;
}

/** No checkout has more, and no walk goes on for longer. */
const maxEntries = 200_000;
const maxDepth = 6;
const templateName = /^(?:NNNN-|nnnn-|\d+-kep-template$|YYYYMMDD-)/;

/** The layout of a folder: the one above `keps/`, `keps/` itself, or any folder with proposals. */
export function layoutOf(folder: string): Layout | undefined {
  const at = resolve(folder);
  if (isFolder(join(at, 'keps'))) return { root: at, keps: join(at, 'keps') };
  if (basename(at) === 'keps') return { root: dirname(at), keps: at };
  return isFolder(at) ? { root: at, keps: at } : undefined;
}

/** The nearest layout from a folder, or the folder of a file, upwards. */
export function nearestLayout(folder: string): Layout | undefined {
  const start = resolve(folder);
  for (let at = isFolder(start) ? start : dirname(start); ; at = dirname(at)) {
    if (isFolder(join(at, 'keps'))) return { root: at, keps: join(at, 'keps') };
    // A folder `keps` may hold the configuration of the checkout around it.
    if (basename(at) !== 'keps' && isFile(join(at, '.slipway/kep.yaml'))) return { root: at, keps: at };
    if (dirname(at) === at) return undefined;
  }
}

/**
 * All proposals below a folder of a layout, sorted by path. Links are never followed. A folder that cannot be listed,
 * and the one at which a walk of more than 200,000 files ends, is among them as `unreadable`.
 */
export function findKeps({ root, keps }: Layout, below: string = keps, list: ListFolder = entriesOf): FoundKep[] {
  const found: FoundKep[] = [];
  const folders: { path: string; depth: number }[] = [{ path: resolve(below), depth: 0 }];
  let seen = 0;
  for (let folder = folders.pop(); folder; folder = folders.pop()) {
    const entries = list(folder.path);
    if (typeof entries === 'string') {
      found.push({ ...placeOf(folder.path, root, keps), unreadable: entries });
      continue;
    }
    seen += entries.length;
    if (seen > maxEntries) {
      found.push({ ...placeOf(folder.path, root, keps), unreadable: `there are more than ${maxEntries} files` });
      break;
    }
    const names = new Set(entries.filter((entry) => entry.isFile()).map(({ name }) => name));
    const name = basename(folder.path);
    const isNumbered = /^\d+-/.test(name) && names.has('README.md');
    if ((names.has('kep.yaml') || isNumbered) && !templateName.test(name)) {
      found.push(placeOf(folder.path, root, keps));
      continue;
    }
    if (templateName.test(name) || folder.depth >= maxDepth) continue;
    for (const entry of entries) {
      const isOther = entry.name === 'prod-readiness' || entry.name === 'node_modules' || entry.name.startsWith('.');
      if (entry.isDirectory() && !isOther)
        folders.push({ path: within(folder.path, entry.name), depth: folder.depth + 1 });
    }
  }
  return found.sort((one, other) => (one.directory < other.directory ? -1 : 1));
}

/** All production readiness files of a layout. */
export function findApprovals({ root, keps }: Layout): FoundKep[] {
  const found: FoundKep[] = [];
  const folders = [join(keps, 'prod-readiness')];
  if (!isFolder(folders[0] ?? '')) return [];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries = entriesOf(folder);
    if (typeof entries === 'string') {
      found.push({ ...placeOf(folder, root, keps), unreadable: entries });
      continue;
    }
    for (const entry of entries) {
      const path = within(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      if (!entry.isFile() || !/^\d+\.yaml$/.test(entry.name)) continue;
      found.push({ path, directory: pathBelow(root, path), group: undefined, number: undefined, approvalOnly: true });
    }
  }
  return found.sort((one, other) => (one.directory < other.directory ? -1 : 1));
}

/**
 * Folders with a README and without metadata, as upstream's validator sees them: anywhere below `keps`, and in a
 * proposal in those folders that it comes to before `kep.yaml`.
 */
export function findStrays({ root, keps }: Layout, list: ListFolder = entriesOf): FoundKep[] {
  const found: FoundKep[] = [];
  const folders = [{ path: keps, depth: 0 }];
  for (let folder = folders.pop(); folder; folder = folders.pop()) {
    const entries = list(folder.path);
    // `findKeps` tells of those that cannot be listed.
    if (typeof entries === 'string') continue;
    const names = new Set(entries.map(({ name }) => name));
    const isProposal = names.has('kep.yaml');
    if (!isProposal && folder.depth > 0 && entries.some((entry) => entry.name === 'README.md' && entry.isFile()))
      found.push({ ...placeOf(folder.path, root, keps), isStray: true });
    if (folder.depth >= maxDepth + 2) continue;
    for (const entry of entries) {
      const isSeen = entry.name !== 'prod-readiness' && (!isProposal || entry.name < 'kep.yaml');
      if (entry.isDirectory() && isSeen)
        folders.push({ path: within(folder.path, entry.name), depth: folder.depth + 1 });
    }
  }
  return found.sort((one, other) => (one.directory < other.directory ? -1 : 1));
}

type Entry = Pick<Dirent, 'name' | 'isFile' | 'isDirectory'>;

/** The entries of a folder, or why it cannot be read. */
export type ListFolder = (folder: string) => readonly Entry[] | string;

const readme: Entry = { name: 'README.md', isFile: () => true, isDirectory: () => false };

/**
 * Lists folders as far as `findKeps` has to know them for proposals with one number: a folder with a number and a README is a
 * proposal, whatever else it holds, and one with another number is left out.
 */
export function listForNumber(wanted: number): ListFolder {
  return (folder) => {
    const number = /^\d+(?=-)/.exec(basename(folder))?.[0];
    try {
      if (number !== undefined && isFile(within(folder, readme.name))) return Number(number) === wanted ? [readme] : [];
    } catch {
      // Why it cannot be read is for the list to say.
    }
    return entriesOf(folder);
  };
}

/** Lists folders, each only once: for walks that go over the same ones. */
export class FolderLists {
  readonly #known = new Map<string, readonly Entry[] | string>();
  readonly #names = new Map<string, ReadonlySet<string>>();

  readonly list: ListFolder = (folder) => {
    const entries = this.#known.get(folder) ?? entriesOf(folder);
    this.#known.set(folder, entries);
    return entries;
  };

  /** The names in a folder that was listed already; undefined for others, and for those that cannot be listed. */
  namesIn(folder: string): ReadonlySet<string> | undefined {
    const entries = this.#known.get(folder);
    if (entries === undefined || typeof entries === 'string') return undefined;
    const names = this.#names.get(folder) ?? new Set(entries.map(({ name }) => name));
    this.#names.set(folder, names);
    return names;
  }
}

function entriesOf(folder: string): readonly Entry[] | string {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  }
}

/** Reads the directory, group and number of a proposal from its path. */
export function placeOf(path: string, root: string, keps: string): FoundKep {
  const [group, ...rest] = pathBelow(keps, path).split('/');
  const isGroup = rest.length > 0 && group !== undefined && /^(?:sig|wg|ug|committee|provider)-/.test(group);
  return {
    path,
    directory: pathBelow(root, path) || '.',
    group: isGroup ? group : undefined,
    number: /^(\d+)-/.exec(basename(path))?.[1],
  };
}

/** Returns the path of an entry of a folder, which needs no normalising. */
export function within(folder: string, name: string): string {
  return folder.endsWith(sep) ? folder + name : folder + sep + name;
}

/** A path relative to a folder, with `/`. Most are below it as they are written. */
function pathBelow(folder: string, path: string): string {
  const below = path.startsWith(folder + sep) ? path.slice(folder.length + 1) : relative(folder, path);
  return sep === '/' ? below : below.split(sep).join('/');
}

/** A proposal that is one Markdown file under any name. */
export function singleFile(file: string, root: string): FoundKep {
  const directory = relative(root, file).split(sep).join('/');
  return { path: dirname(file), file, directory, group: undefined, number: undefined };
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function isFolder(path: string): boolean {
  try {
    return lstatSync(path).isDirectory();
  } catch {
    return false;
  }
}
