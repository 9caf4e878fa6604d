import { relative, sep } from 'node:path';
import type { FoundKep, KepRepository } from '@slipway/kep';
import { changedPaths, stagedPaths, textAt, textInIndex } from './changed-paths.js';
import { type Target, targetOf } from './run-rules.js';

/** The proposals with a changed file since a commit: README, metadata, approval or anything else in their folder. */
export async function changedSince(
  repository: KepRepository,
  keps: readonly FoundKep[],
  since: string,
  signal: AbortSignal,
): Promise<readonly Target[]> {
  const { root } = repository.layout;
  const changed = await changedPaths(root, since, signal);
  return having(repository, keps, changed).map((found) => ({
    ...targetOf(repository, found),
    before: () => textAt(root, since, found.file ? found.directory : `${found.directory}/README.md`, signal),
  }));
}

/** The proposals with a file that is about to be committed, as they will be committed. */
export async function changedInIndex(
  repository: KepRepository,
  keps: readonly FoundKep[],
  signal: AbortSignal,
): Promise<readonly Target[]> {
  const staged = await stagedPaths(repository.layout.root, signal);
  const { root } = repository.layout;
  return having(repository, keps, staged).map((found) => ({
    kep: () => repository.load(found, (path) => textInIndex(root, relative(root, path).split(sep).join('/'))),
  }));
}

function having(repository: KepRepository, keps: readonly FoundKep[], paths: readonly string[]): readonly FoundKep[] {
  return keps.filter((kep) => {
    if (paths.some((path) => path === kep.directory || path.startsWith(`${kep.directory}/`))) return true;
    const { approvalPath } = repository.load(kep);
    return approvalPath !== undefined && paths.includes(approvalPath);
  });
}
