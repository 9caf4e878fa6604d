import { promisify } from 'node:util';
import { CommandError, exit } from '../../runtime/exit.js';

/** Gives the address at which a file or folder of a checkout is read. */
export type SourceAddress = (path: string) => string;

/**
 * Finds where the files of a checkout are read on the web: below `given`, or else on GitHub if its git remote `origin` is
 * there. Undefined when neither is known. @throws CommandError for anything but a web address
 */
export async function sourceAddress(
  root: string,
  given: string | undefined,
  signal: AbortSignal,
): Promise<SourceAddress | undefined> {
  if (given !== undefined) {
    if (!/^https?:\/\/[^/\s]/.test(given)) {
      const example = 'write for example https://github.com/OWNER/REPOSITORY/blob/main';
      throw new CommandError(exit.usage, `--source: ${given} is not an address of the web`, example);
    }
    return below(given.replace(/\/+$/, ''));
  }
  const origin = githubOf(await git(root, ['config', '--get', 'remote.origin.url'], signal));
  if (origin === undefined) return undefined;
  const prefix = await git(root, ['rev-parse', '--show-prefix'], signal);
  return below(`${origin}/blob/HEAD/${prefix}`.replace(/\/+$/, ''));
}

function below(address: string): SourceAddress {
  return (path) => `${address}/${path.split('/').map(encodeURIComponent).join('/')}`;
}

/** `https://github.com/OWNER/REPOSITORY` of the address of a git remote, however that is written; undefined elsewhere. */
export function githubOf(remote: string): string | undefined {
  const [, path] =
    /^(?:https:\/\/(?:[^@/\s]+@)?|git@|ssh:\/\/git@)github\.com[:/]([\w.-]+\/[\w.-]+?)(?:\.git)?\/?$/.exec(remote) ??
    [];
  return path && `https://github.com/${path}`;
}

/** The one line that git prints; nothing where it fails, as without a remote or outside of a checkout. */
async function git(root: string, args: readonly string[], signal: AbortSignal): Promise<string> {
  try {
    const { execFile } = process.getBuiltinModule('node:child_process');
    const { stdout } = await promisify(execFile)('git', ['-C', root, ...args], { signal });
    return stdout.trim();
  } catch (error) {
    if (signal.aborted) throw error;
    return '';
  }
}
