import { execFile } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { CommandError, exit } from '../../runtime/exit.js';

const run = promisify(execFile);

/**
 * The files below `root` that changed since a commit: committed since it branched off, not yet
 * committed, and new. Paths are relative to `root`. @throws CommandError when git cannot tell
 */
export async function changedPaths(root: string, since: string, signal: AbortSignal): Promise<readonly string[]> {
  if (since.startsWith('-'))
    throw new CommandError(exit.usage, `--since: ${since} is no commit`, 'name a branch, a tag or a commit');
  const git = async (...args: string[]) => {
    const { stdout } = await run('git', ['-C', root, ...args], { maxBuffer: 256 * 1024 * 1024, signal });
    return stdout;
  };
  try {
    const top = (await git('rev-parse', '--show-toplevel')).trimEnd();
    const base = (await git('merge-base', since, 'HEAD')).trim();
    const changed = await git('diff', '--name-only', '-z', '--diff-filter=ACMRT', base);
    const untracked = await git('ls-files', '-z', '--others', '--exclude-standard', '--full-name');
    const prefix = relative(realpathSync(top), realpathSync(root)).split(sep).join('/');
    const paths = `${changed}${untracked}`.split('\0').filter((path) => path !== '');
    if (prefix === '') return paths;
    return paths.filter((path) => path.startsWith(`${prefix}/`)).map((path) => path.slice(prefix.length + 1));
  } catch (error) {
    if (signal.aborted) throw error;
    const said =
      error instanceof Error && 'stderr' in error ? String(error.stderr).trim().split('\n')[0] : String(error);
    const hint = /not a git repository/.test(said ?? '')
      ? 'leave --since out, or run it in a git checkout'
      : 'fetch that commit; in a shallow clone of CI set fetch-depth: 0';
    throw new CommandError(exit.usage, `cannot tell what changed since ${since}: ${said}`, hint, { cause: error });
  }
}
