import { realpathSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { CommandError, exit } from '../../runtime/exit.js';

/** Only `--since` and `--staged` run git; other checks start without what runs programs. */
const programs = () => process.getBuiltinModule('node:child_process');
const maxBytes = 256 * 1024 * 1024;

/**
 * The files below `root` that changed since a commit: committed since it branched off, not yet
 * committed, and new. Paths are relative to `root`. @throws CommandError when git cannot tell
 */
export async function changedPaths(root: string, since: string, signal: AbortSignal): Promise<readonly string[]> {
  refuseFlag(since);
  try {
    const base = await baseOf(root, since, signal);
    const changed = await git(root, ['diff', '--name-only', '-z', '--diff-filter=ACMRT', base], signal);
    const untracked = await git(root, ['ls-files', '-z', '--others', '--exclude-standard', '--full-name'], signal);
    return await below(root, `${changed}${untracked}`, signal);
  } catch (error) {
    throw explained(error, `cannot tell what changed since ${since}`, signal);
  }
}

/** The files below `root` that are about to be committed. @throws CommandError when git cannot tell */
export async function stagedPaths(root: string, signal: AbortSignal): Promise<readonly string[]> {
  try {
    await git(root, ['rev-parse', '--is-inside-work-tree'], signal);
    const staged = await git(root, ['diff', '--cached', '--name-only', '-z', '--diff-filter=ACMRT'], signal);
    return await below(root, staged, signal);
  } catch (error) {
    throw explained(error, 'cannot tell what is about to be committed', signal);
  }
}

/** A file as it was where a branch began; undefined when it was not there. `path` is relative to `root`. */
export async function textAt(
  root: string,
  since: string,
  path: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  refuseFlag(since);
  const base = await baseOf(root, since, signal);
  try {
    return await git(root, ['show', `${base}:./${path}`], signal);
  } catch (error) {
    if (signal.aborted) throw error;
    return undefined;
  }
}

/** A file of a commit as text; undefined when it is not there. `path` is relative to `root`. */
export function textOfCommit(root: string, commit: string, path: string): string | undefined {
  refuseFlag(commit);
  const { status, stdout } = programs().spawnSync('git', ['-C', root, 'show', `${commit}:./${path}`], {
    maxBuffer: maxBytes,
    encoding: 'utf8',
  });
  return status === 0 ? stdout : undefined;
}

/**
 * The bytes of a file that are about to be committed; undefined when it will not be there. `path` is relative to
 * `root`.
 */
export function textInIndex(root: string, path: string): Buffer | undefined {
  const { status, stdout } = programs().spawnSync('git', ['-C', root, 'show', `:./${path}`], { maxBuffer: maxBytes });
  return status === 0 ? stdout : undefined;
}

async function git(root: string, args: readonly string[], signal: AbortSignal): Promise<string> {
  const { stdout } = await promisify(programs().execFile)('git', ['-C', root, ...args], {
    maxBuffer: maxBytes,
    signal,
  });
  return stdout;
}

async function baseOf(root: string, since: string, signal: AbortSignal): Promise<string> {
  return (await git(root, ['merge-base', since, 'HEAD'], signal)).trim();
}

/** Paths from the top of a repository as paths from `root`; those elsewhere are left out. */
async function below(root: string, list: string, signal: AbortSignal): Promise<readonly string[]> {
  const top = (await git(root, ['rev-parse', '--show-toplevel'], signal)).trimEnd();
  const prefix = relative(realpathSync(top), realpathSync(root)).split(sep).join('/');
  const paths = list.split('\0').filter((path) => path !== '');
  if (prefix === '') return paths;
  return paths.filter((path) => path.startsWith(`${prefix}/`)).map((path) => path.slice(prefix.length + 1));
}

function refuseFlag(since: string): void {
  if (since.startsWith('-'))
    throw new CommandError(exit.usage, `--since: ${since} is not a commit`, 'name a branch, a tag or a commit');
}

function explained(error: unknown, what: string, signal: AbortSignal): unknown {
  if (signal.aborted) return error;
  const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim().split('\n')[0] : String(error);
  const hint = /not a git repository/.test(said ?? '')
    ? 'leave --since and --staged out, or run it in a git checkout'
    : 'fetch that commit; in a shallow clone of CI set fetch-depth: 0';
  return new CommandError(exit.usage, `${what}: ${said}`, hint, { cause: error });
}
