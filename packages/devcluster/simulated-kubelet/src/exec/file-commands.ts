import { posix } from 'node:path';
import { FileError } from './pod-disk.js';
import type { Process, Program } from './process.js';

/** Programs that change what is on the disk of a container. */
export const fileCommands: Readonly<Record<string, Program>> = {
  mkdir: (process, args) =>
    eachPath(process, 'mkdir', "can't create directory", args, ({ files }, path, flags) => {
      if (flags.includes('p')) return files.makeFolders(path);
      if (files.isFolder(path)) throw new FileError('File exists');
      files.makeFolder(path);
    }),
  touch: (process, args) =>
    eachPath(process, 'touch', '', args, async ({ files }, path) => {
      files.write(path, Buffer.from((await files.read(path)) ?? ''));
    }),
  cp: (process, args) => copy(process, 'cp', args, false),
  mv: (process, args) => copy(process, 'mv', args, true),
  /** Every process may read and write everything here. */
  chmod: () => 0,
  chown: () => 0,
  sync: () => 0,
  rm: (process, args) =>
    eachPath(process, 'rm', "can't remove", args, ({ files }, path, flags) => {
      const isThere = files.isFile(path) || files.isFolder(path);
      if (!isThere && flags.includes('f')) return;
      if (!isThere) throw new FileError('No such file or directory');
      if (files.isFolder(path) && !/[rR]/.test(flags)) throw new FileError('Is a directory');
      files.remove(path);
    }),
};

/** Copies files to another name, or into a folder. */
async function copy(process: Process, program: string, args: readonly string[], removes: boolean): Promise<number> {
  const paths = args.filter((arg) => !arg.startsWith('-'));
  const to = posix.resolve(process.folder, paths.at(-1) ?? '');
  if (paths.length < 2) {
    process.err(`${program}: missing file operand\n`);
    return 1;
  }
  return eachPath(process, program, "can't copy", paths.slice(0, -1), async ({ files }, path) => {
    const content = await files.read(path);
    if (!content) throw new FileError(files.isFolder(path) ? 'Is a directory' : 'No such file or directory');
    files.write(files.isFolder(to) ? posix.join(to, posix.basename(path)) : to, Buffer.from(content));
    if (removes) files.remove(path);
  });
}

/** Does something with each path; those with which it cannot be done are told of. */
async function eachPath(
  process: Process,
  program: string,
  what: string,
  args: readonly string[],
  act: (process: Process, path: string, flags: string) => void | Promise<void>,
): Promise<number> {
  const flags = args.filter((arg) => arg.startsWith('-')).join('');
  let code = 0;
  for (const path of args.filter((arg) => !arg.startsWith('-'))) {
    try {
      await act(process, posix.resolve(process.folder, path), flags);
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      process.err(`${program}: ${what === '' ? path : `${what} '${path}'`}: ${error.message}\n`);
      code = 1;
    }
  }
  return code;
}
