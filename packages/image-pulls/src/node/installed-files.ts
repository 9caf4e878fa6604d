import { lstatSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { dropInsOf, KubeletFileError } from '../config/kubelet-files.js';
import { writeDurably } from '../disk/durable-file.js';
import { type FileChange, InstallRefusedError, type NodeFiles } from './file-change.js';
import { installedPaths } from './install-plan.js';
import { withYamlKey, yamlKey } from './yaml-key.js';

/** Where it is written down what was changed, so that it can be undone. */
export const installRecord = '/var/lib/slipway/pulls/installed.json';

/** What undoing does to a file; undefined when it does not exist. */
export interface FileUndo {
  readonly path: string;
  readonly now: string | undefined;
  readonly restored: string | undefined;
}

interface InstallRecord {
  readonly changes: readonly FileChange[];
}

/** The files of a machine, or of a folder that stands for one. */
export class InstalledFiles implements NodeFiles {
  readonly #root: string;

  /** `/` is this machine. */
  constructor(root: string) {
    this.#root = root;
  }

  /**
   * The text of a file, or undefined when there is none.
   * @throws InstallRefusedError when something else is there, which could not be put back as it was.
   */
  read(path: string): string | undefined {
    const at = join(this.#root, path);
    const there = lstatSync(at, { throwIfNoEntry: false });
    if (!there) return undefined;
    if (there.isFile()) return readFileSync(at, 'utf8');
    throw new InstallRefusedError(`${path} is not a plain file`, 'make it one, or set what it says by hand');
  }

  dropIns(folder: string): readonly string[] {
    try {
      return dropInsOf(join(this.#root, folder)).map((path) => join('/', relative(this.#root, path)));
    } catch (error) {
      if (!(error instanceof KubeletFileError)) throw error;
      const hint = 'name the folder that the kubelet is given as --config-dir';
      throw new InstallRefusedError(`cannot read drop-ins of the kubelet: ${error.message}`, hint, { cause: error });
    }
  }

  /** What was changed here, if anything was. */
  recorded(): readonly FileChange[] | undefined {
    const text = this.read(installRecord);
    return text === undefined ? undefined : (JSON.parse(text) as InstallRecord).changes;
  }

  /**
   * Makes changes, and notes them before the first one, so that a crash at any moment leaves something that can be
   * undone, or done again.
   */
  apply(changes: readonly FileChange[]): void {
    const noted = new Map(this.recorded()?.map((change) => [change.path, change]));
    // What was before the first of several installs is what has to come back.
    const whole = changes.map((change) => {
      const first = noted.get(change.path);
      return first ? { ...change, before: first.before, keys: change.keys.map((key) => firstOf(key, first)) } : change;
    });
    this.#write(installRecord, `${JSON.stringify({ changes: whole } satisfies InstallRecord, null, 2)}\n`);
    for (const { path, after } of changes) this.#write(path, after);
  }

  /** What undoing would do to each file. @throws InstallRefusedError */
  planUndo(): readonly FileUndo[] {
    const changes = this.recorded();
    if (!changes) throw new InstallRefusedError('nothing is installed here', 'name the folder with --root');
    return changes.map((change) => ({
      path: change.path,
      now: this.read(change.path),
      restored: this.#undone(change),
    }));
  }

  undo(): void {
    for (const { path, now, restored } of this.planUndo()) {
      if (restored === undefined) rmSync(join(this.#root, path), { force: true });
      else if (restored !== now) this.#write(path, restored);
    }
    rmSync(join(this.#root, installRecord), { force: true });
  }

  /** A file that a user changed since keeps the change: only our keys go back. A unit that was changed is not ours any more. */
  #undone({ path, before, after, keys }: FileChange): string | undefined {
    const now = this.read(path);
    if (now === undefined || now === after || now === before) return before;
    if (path === installedPaths.config) return now;
    if (keys.length === 0) {
      throw new InstallRefusedError(
        `${path} was changed after it was installed`,
        'put it away if it is not needed any more, then uninstall again',
      );
    }
    return keys.reduce((text, key) => {
      const value = yamlKey(text, key.key);
      return value === key.after ? withYamlKey(text, key.key, key.before) : text;
    }, now);
  }

  #write(path: string, text: string): void {
    writeDurably(join(this.#root, path), text, 0o644);
  }
}

function firstOf(key: FileChange['keys'][number], first: FileChange): FileChange['keys'][number] {
  return { ...key, before: first.keys.find((one) => one.key === key.key)?.before };
}
