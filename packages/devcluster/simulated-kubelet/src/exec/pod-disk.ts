import { posix } from 'node:path';

/** How much the containers of one pod can write, in bytes. */
export const diskBytes = 16 * 1024 * 1024;
/** What a file or folder takes beside its content, so that empty ones are not for nothing. */
const entryBytes = 512;

/** Something that was written. */
export interface DiskEntry {
  /** The content of a file; undefined for a folder. */
  readonly content: Buffer | undefined;
  /** Permission bits. */
  readonly mode: number;
  /** Milliseconds since the epoch. */
  readonly modifiedAtMs: number;
}

/** What a file system refuses, in the words of Linux. */
export class FileError extends Error {
  override readonly name = 'FileError';
}

/**
 * What the containers of one pod have written: a tree for each volume, and for each run of a container; and what its
 * kubelet brought into its volumes.
 */
export class PodDisk {
  readonly #brought = new Map<string, ReadonlyMap<string, Buffer>>();
  readonly #trees = new Map<string, { readonly run: string; readonly tree: FileTree }>();
  #usedBytes = 0;

  /**
   * The tree that is called so. With another `run` than before it is a new one, and what was there is gone.
   * @param fill puts into a new one what it has at first
   */
  tree(name: string, run: string, fill: (tree: FileTree) => void = () => {}): FileTree {
    const known = this.#trees.get(name);
    if (known?.run === run) return known.tree;
    known?.tree.clear();
    const tree = new FileTree((bytes) => this.#take(bytes));
    this.#trees.set(name, { run, tree });
    fill(tree);
    return tree;
  }

  /** The kubelet brings the files of one source of a volume, by their paths in the volume, in place of those before. */
  bring(volume: string, source: number, files: ReadonlyMap<string, Buffer>): void {
    this.#brought.set(`${volume}/${source}`, files);
  }

  /** The files that the kubelet brought last. */
  brought(volume: string, source: number): ReadonlyMap<string, Buffer> {
    return this.#brought.get(`${volume}/${source}`) ?? new Map();
  }

  #take(bytes: number): void {
    if (this.#usedBytes + bytes > diskBytes) throw new FileError('No space left on device');
    this.#usedBytes += bytes;
  }
}

/** Files and folders by their absolute paths; the root is always there. */
export class FileTree {
  readonly #entries = new Map<string, DiskEntry>();
  readonly #take: (bytes: number) => void;

  /** @param take takes so many bytes of the disk, or gives them back; throws FileError when there are not as many */
  constructor(take: (bytes: number) => void) {
    this.#take = take;
  }

  get(path: string): DiskEntry | undefined {
    return this.#entries.get(path);
  }

  /** What is in a folder, by name. */
  namesIn(folder: string): readonly string[] {
    return [...this.#entries.keys()]
      .filter((path) => posix.dirname(path) === folder)
      .map((path) => posix.basename(path));
  }

  /** @throws FileError when the disk is full; nothing has changed then */
  put(path: string, entry: DiskEntry): void {
    this.#take(sizeOf(entry) - sizeOf(this.#entries.get(path)));
    this.#entries.set(path, entry);
  }

  /** Removes what is there, and what is in it. */
  remove(path: string): void {
    for (const [each, entry] of this.#entries) {
      if (each !== path && !each.startsWith(`${path}/`)) continue;
      this.#take(-sizeOf(entry));
      this.#entries.delete(each);
    }
  }

  clear(): void {
    for (const path of [...this.#entries.keys()]) this.remove(path);
  }
}

function sizeOf(entry: DiskEntry | undefined): number {
  return entry === undefined ? 0 : entryBytes + (entry.content?.length ?? 0);
}
