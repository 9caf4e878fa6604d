import { lstatSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type KepRepository, ResultCache } from '@slipway/kep';

/**
 * The results that earlier runs left of a checkout, in the user's cache folder. Undefined where there is no such folder
 * that only this user can write, for others could put results there.
 */
export function resultCache(
  repository: KepRepository,
  baselineText: string,
  env: NodeJS.ProcessEnv = process.env,
): ResultCache | undefined {
  const { XDG_CACHE_HOME: given, HOME: home } = env;
  const base = given || (home && join(home, '.cache'));
  if (!base) return undefined;
  const folder = join(base, 'slipway', 'kep-results');
  if (!isPrivate(folder)) return undefined;
  const name = process
    .getBuiltinModule('node:crypto')
    .createHash('sha256')
    .update(repository.layout.root)
    .digest('hex')
    .slice(0, 16);
  return new ResultCache(repository, join(folder, name), baselineText, Date.now);
}

function isPrivate(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const stat = lstatSync(folder);
    return stat.isDirectory() && stat.uid === process.getuid?.() && (stat.mode & 0o022) === 0;
  } catch {
    return false;
  }
}
