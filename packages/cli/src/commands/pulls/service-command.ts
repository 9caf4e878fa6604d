import { accessSync, closeSync, constants, openSync, readFileSync, readSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CommandError, exit } from '../../runtime/exit.js';

/**
 * The words by which a service starts an installed `slipway`: absolute paths, so that it is the same one whatever the
 * PATH says. A script is started by `node`, an executable by itself.
 * @throws CommandError when a service should not start that program, with what to do instead.
 */
export function serviceCommand(program: string, node: string): readonly string[] {
  const path = resolved(program);
  const checkout = foldersAbove(path).find(isCheckout);
  if (checkout !== undefined) {
    throw new CommandError(
      exit.no,
      `${path} belongs to the checkout at ${checkout}, whose programs change with its sources`,
      'install a release (docs/operations/release.md) and run its slipway pulls install, or name an installed slipway with --command',
    );
  }
  const words = isNodeScript(path) ? [node, path] : [path];
  for (const word of words) {
    const open = [word, ...foldersAbove(word)].find(isOpenToOthers);
    if (open === undefined) continue;
    const message = `${open} can be changed by others than root, and the service runs ${word} as root`;
    throw new CommandError(exit.no, message, 'install slipway and Node.js where only root may write');
  }
  return words;
}

function resolved(program: string): string {
  try {
    const path = realpathSync(program);
    if (!isNodeScript(path)) accessSync(path, constants.X_OK);
    if (statSync(path).isFile()) return path;
  } catch {
    // Reported below.
  }
  throw new CommandError(exit.usage, `${program} is not a program`, 'name an installed slipway with --command');
}

function foldersAbove(path: string): readonly string[] {
  const folder = dirname(path);
  return folder === path ? [] : [folder, ...foldersAbove(folder)];
}

function isCheckout(folder: string): boolean {
  try {
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { readonly name?: unknown };
    return manifest.name === 'slipway-repository';
  } catch {
    return false;
  }
}

const firstLineBytes = 256;

function isNodeScript(path: string): boolean {
  const file = openSync(path, 'r');
  try {
    const start = Buffer.alloc(firstLineBytes);
    const [line = ''] = start.toString('latin1', 0, readSync(file, start)).split('\n');
    return /^#!.*\bnode\b/.test(line);
  } finally {
    closeSync(file);
  }
}

/** With the sticky bit, as /tmp has it, no user can replace what another user made. */
function isOpenToOthers(path: string): boolean {
  const { mode, uid } = statSync(path);
  const isOwnersOnly = (mode & 0o022) === 0 || (mode & 0o1000) !== 0;
  return !isOwnersOnly || ![0, process.getuid?.()].includes(uid);
}
